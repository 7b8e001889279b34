// SPDX-License-Identifier: Apache-2.0
package import GOST
package import Secrets

/// The modern profile (GSC/1, 3): SESPAKE, VKO GOST R 34.10-2012 of 256 bits, and Kuznyechik in MGM.
enum ModernSuite: ChannelSuite {
    private typealias Primitives = ChannelPrimitives<Streebog256>

    static let profile = ChannelProfile.modern
    static let curve = Curve.tc26256B
    /// The limit of a message's length fields.
    static let maximumPlaintext = 65_535
    static let epochKeyCount = 64

    static func hash(_ bytes: [UInt8]) -> [UInt8] { Streebog256.hash(bytes) }

    static func authenticate(_ message: Span<UInt8>, key: borrowing Secret) -> Secret {
        Primitives.authenticate(message, key: key)
    }

    static func expand(
        _ key: borrowing Secret, label: String, seed: [UInt8], count: Int
    ) throws(GOSTError) -> Secret {
        try Primitives.expand(key, label: label, seed: seed, count: count)
    }

    /// Q_PW.
    static func verifier(password: Span<UInt8>, salt: [UInt8]) throws(GOSTError) -> Secret {
        let f = try SESPAKE.f(password: password, salt: salt.span, curve: curve)
        let verifier = try SESPAKE.Verifier(curve: curve, f: f.bytes)
        return verifier.point.copy()
    }

    static func hasLength(ofShare bytes: [UInt8]) -> Bool { bytes.count == 64 }

    static func isValid(share bytes: [UInt8]) -> Bool { (try? PublicKey(curve: curve, bytes: bytes)) != nil }

    static func pair(_ terms: PairingTerms, random: any RandomSource) throws(GOSTError) -> any PairingRun {
        try ModernPairing(terms, random: random)
    }

    static func contribute(random: any RandomSource) throws(GOSTError) -> any Contribution {
        try ModernContribution(PrivateKey.generate(on: curve, random: random))
    }

    static func keys(_ material: borrowing Secret) throws(GOSTError) -> any EpochKeys { try ModernKeys(material) }
}

/// A run of SESPAKE, the token being B (GSC/1, 8; RFC 8133).
package final class ModernPairing: PairingRun {
    /// ID_ALG, the identifier of the curve.
    package static let algorithm = ModernSuite.curve.oid

    package let share: [UInt8]
    let dataTag: UInt8 = 0x84
    private let transcript: SESPAKE.Transcript
    private let key: SESPAKE.Key

    package init(
        _ terms: PairingTerms, algorithm: [UInt8] = ModernPairing.algorithm, random: any RandomSource
    ) throws(GOSTError) {
        let verifier = try SESPAKE.Verifier(curve: ModernSuite.curve, point: terms.verifier.secret.copy())
        let exchange = try SESPAKE.Exchange(as: .b, verifier: verifier, random: random)
        let share = exchange.share
        self.share = share
        transcript = SESPAKE.Transcript(
            identifierA: terms.hostIdentity, identifierB: terms.tokenIdentity, salt: terms.salt, u1: terms.hostShare,
            u2: share, algorithm: algorithm)
        key = try exchange.key(with: terms.hostShare)
    }

    package func isValid(_ mac: [UInt8], of data: [UInt8]) -> Bool {
        key.isValid(mac.span, for: transcript.messageA(data: data))
    }

    func open(_ data: [UInt8]) throws(GOSTError) -> [UInt8] { data }

    package func seal(_ answer: [UInt8], to data: [UInt8]) throws(GOSTError) -> (data: [UInt8], mac: [UInt8]) {
        let mac = key.code(for: transcript.messageB(dataA: data, dataB: answer))
        return (answer, [UInt8](copying: mac))
    }
}

/// An ephemeral key pair; the agreement is ee ‖ es ‖ se.
final class ModernContribution: Contribution {
    let bytes: [UInt8]
    private let ephemeral: PrivateKey

    init(_ ephemeral: consuming PrivateKey) throws(GOSTError) {
        let publicKey = try ephemeral.publicKey()
        bytes = publicKey.bytes
        self.ephemeral = ephemeral
    }

    func agree(
        tokenKey: borrowing PrivateKey, host: PublicKey, hostContribution: [UInt8], transcript: [UInt8]
    ) throws(GOSTError) -> Secret {
        let ukm = Array(transcript.prefix(16))
        let hostEphemeral = try PublicKey(curve: ModernSuite.curve, bytes: hostContribution)
        let ee = try ephemeral.vko2012256(with: hostEphemeral, ukm: ukm.span)
        let es = try tokenKey.vko2012256(with: hostEphemeral, ukm: ukm.span)
        let se = try ephemeral.vko2012256(with: host, ukm: ukm.span)
        return ee.appending(es.bytes).appending(se.bytes)
    }
}

/// Kuznyechik-MGM with a tag of eight bytes.
final class ModernKeys: EpochKeys {
    private let command, reply: MGM

    init(_ material: borrowing Secret) throws(GOSTError) {
        command = try MGM(.kuznyechik, key: material.bytes.extracting(0..<32), tagLength: 8)
        reply = try MGM(.kuznyechik, key: material.bytes.extracting(32..<64), tagLength: 8)
    }

    func open(_ ciphertext: [UInt8], tag: [UInt8], number: [UInt8], associated: [UInt8]) -> Secret? {
        try? command.open((ciphertext + tag).span, nonce: Self.nonce(number).span, authenticating: associated.span)
    }

    func seal(
        _ plaintext: Span<UInt8>, number: [UInt8], associated: [UInt8]
    ) throws(GOSTError) -> (ciphertext: [UInt8], tag: [UInt8]) {
        let sealed = try reply.seal(plaintext, nonce: Self.nonce(number).span, authenticating: associated.span)
        let bytes = [UInt8](copying: sealed)
        return (Array(bytes.dropLast(8)), Array(bytes.suffix(8)))
    }

    /// ICN = 0^12 ‖ n.
    private static func nonce(_ number: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: 12) + number }
}
