// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The classic profile (GSC/1, 3): GOST 28147-89, GOST R 34.11-94 and VKO GOST R 34.10-2001.
enum ClassicSuite: ChannelSuite {
    private typealias Primitives = ChannelPrimitives<GOSTR341194>
    private static let passwordIterations = 10_000
    private static let shareCount = 16

    static let profile = ChannelProfile.classic
    static let curve = Curve.cryptoProA
    static let maximumPlaintext = 1024
    static let epochKeyCount = 128

    static func hash(_ bytes: [UInt8]) -> [UInt8] { GOSTR341194.hash(bytes) }

    static func authenticate(_ message: Span<UInt8>, key: borrowing Secret) -> Secret {
        Primitives.authenticate(message, key: key)
    }

    static func expand(
        _ key: borrowing Secret, label: String, seed: [UInt8], count: Int
    ) throws(GOSTError) -> Secret {
        try Primitives.expand(key, label: label, seed: seed, count: count)
    }

    /// K_F.
    static func verifier(password: Span<UInt8>, salt: [UInt8]) throws(GOSTError) -> Secret {
        PBKDF2<GOSTR341194>.derive(password: password, salt: salt.span, iterations: passwordIterations, count: 32)
    }

    static func hasLength(ofShare bytes: [UInt8]) -> Bool { bytes.count == shareCount }

    static func isValid(share bytes: [UInt8]) -> Bool { true }

    static func pair(_ terms: PairingTerms, random: any RandomSource) throws(GOSTError) -> any PairingRun {
        try ClassicPairing(terms, share: randomBytes(shareCount, random))
    }

    static func contribute(random: any RandomSource) throws(GOSTError) -> any Contribution {
        ClassicContribution(bytes: try randomBytes(shareCount, random))
    }

    static func keys(_ material: borrowing Secret) throws(GOSTError) -> any EpochKeys { ClassicKeys(material) }

    /// CNT: enciphers or deciphers a message of at most 1024 bytes.
    static func apply(key: borrowing Secret, iv: [UInt8], to data: Span<UInt8>) throws(GOSTError) -> Secret {
        try CipherMessage.encrypt(data, .gost28147(.cryptoProA), .cnt, key: key.bytes, iv: iv.span)
    }

    private static func randomBytes(_ count: Int, _ random: any RandomSource) throws(GOSTError) -> [UInt8] {
        do { return try random.bytes(count) } catch { throw .randomUnavailable }
    }
}

/// A pairing under keys from K_F (GSC/1, 8).
final class ClassicPairing: PairingRun {
    let share: [UInt8]
    let dataTag: UInt8 = 0x86
    /// TP.
    private let transcript: [UInt8]
    /// KeA, KmA, KeB, KmB.
    private let hostCipher, hostMAC, tokenCipher, tokenMAC: Secret

    init(_ terms: PairingTerms, share: [UInt8]) throws(GOSTError) {
        let names =
            [ChannelProfile.classic.rawValue, UInt8(truncatingIfNeeded: terms.slot)] + terms.hostIdentity
            + terms.tokenIdentity
        let transcript = protocolName + names + terms.salt + terms.hostShare + share
        let keys = try ClassicSuite.expand(
            terms.verifier.secret, label: "GSC1 pair", seed: ClassicSuite.hash(transcript), count: 128)
        self.share = share
        self.transcript = transcript
        hostCipher = keys.extracting(0..<32)
        hostMAC = keys.extracting(32..<64)
        tokenCipher = keys.extracting(64..<96)
        tokenMAC = keys.extracting(96..<128)
    }

    func isValid(_ mac: [UInt8], of data: [UInt8]) -> Bool {
        let expected = ClassicSuite.authenticate(([0x01] + transcript + data).span, key: hostMAC)
        return constantTimeEqual(expected.bytes, mac.span)
    }

    func open(_ data: [UInt8]) throws(GOSTError) -> [UInt8] {
        let plain = try ClassicSuite.apply(key: hostCipher, iv: Self.iv, to: data.span)
        return [UInt8](copying: plain)
    }

    func seal(_ answer: [UInt8], to data: [UInt8]) throws(GOSTError) -> (data: [UInt8], mac: [UInt8]) {
        let cipher = try ClassicSuite.apply(key: tokenCipher, iv: Self.iv, to: answer.span)
        let sealed = [UInt8](copying: cipher)
        let mac = ClassicSuite.authenticate(([0x02] + transcript + data + sealed).span, key: tokenMAC)
        return (sealed, [UInt8](copying: mac))
    }

    private static let iv = [UInt8](repeating: 0, count: 8)
}

/// A random C_T; the agreement is the long-term keys'.
final class ClassicContribution: Contribution {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    func agree(
        tokenKey: borrowing PrivateKey, host: PublicKey, hostContribution: [UInt8], transcript: [UInt8]
    ) throws(GOSTError) -> Secret {
        try tokenKey.vko2001(with: host, ukm: transcript.span.extracting(first: 8))
    }
}

/// CNT, and HMAC truncated to eight bytes.
final class ClassicKeys: EpochKeys {
    private let commandCipher, replyCipher: Secret
    private let commandMAC, replyMAC: HMAC<GOSTR341194>

    init(_ material: borrowing Secret) {
        commandCipher = material.extracting(0..<32)
        commandMAC = HMAC(key: material.bytes.extracting(32..<64))
        replyCipher = material.extracting(64..<96)
        replyMAC = HMAC(key: material.bytes.extracting(96..<128))
    }

    func open(_ ciphertext: [UInt8], tag: [UInt8], number: [UInt8], associated: [UInt8]) -> Secret? {
        let expected = Self.tag(commandMAC, associated, ciphertext)
        guard constantTimeEqual(expected.bytes, tag.span) else { return nil }
        return try? ClassicSuite.apply(key: commandCipher, iv: [0, 0, 0, 0] + number, to: ciphertext.span)
    }

    func seal(
        _ plaintext: Span<UInt8>, number: [UInt8], associated: [UInt8]
    ) throws(GOSTError) -> (ciphertext: [UInt8], tag: [UInt8]) {
        let cipher = try ClassicSuite.apply(key: replyCipher, iv: [0, 0, 0, 0] + number, to: plaintext)
        let ciphertext = [UInt8](copying: cipher)
        return (ciphertext, [UInt8](copying: Self.tag(replyMAC, associated, ciphertext)))
    }

    /// HM(Km, u8(|AAD|) ‖ AAD ‖ ciphertext)[0..7].
    private static func tag(
        _ key: borrowing HMAC<GOSTR341194>, _ associated: [UInt8], _ ciphertext: [UInt8]
    ) -> Secret {
        var code = key.copy()
        code.update([UInt8(truncatingIfNeeded: associated.count)].span)
        code.update(associated.span)
        code.update(ciphertext.span)
        return code.finalize().extracting(0..<8)
    }
}
