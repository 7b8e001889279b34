// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets
import TestSupport

/// A recipient's private key.
protocol EnvelopeKey: Sendable {
    var publicKey: PublicKeyInfo { get }
    /// Another key of the same kind.
    func other() throws -> any EnvelopeKey
    func answer(_ demand: RecipientDemand) throws -> Secret
}

final class GOSTEnvelopeKey: EnvelopeKey {
    private let key: PrivateKey
    let publicKey: PublicKeyInfo

    private init(_ key: consuming PrivateKey, _ publicKey: PublicKeyInfo) {
        self.key = key
        self.publicKey = publicKey
    }

    /// - Parameter scalar: Little-endian.
    convenience init(_ curve: Curve, _ scalar: [UInt8]) throws {
        let key = try PrivateKey(curve: curve, scalar: Secret(copying: scalar))
        let algorithm: PublicKeyAlgorithm = curve.coordinateSize == 64 ? .gostR34102012512 : .gostR34102012256
        let publicKey = PublicKeyInfo.gost(try SubjectPublicKeyInfo(algorithm: algorithm, key: key.publicKey()))
        self.init(key, publicKey)
    }

    convenience init(_ curve: Curve, _ name: String = "a") throws {
        let key = try PrivateKey.generate(on: curve, random: Seeded(name))
        try self.init(curve, [UInt8](copying: key.scalar))
    }

    func other() throws -> any EnvelopeKey { try GOSTEnvelopeKey(key.curve, "b") }

    func answer(_ demand: RecipientDemand) throws -> Secret {
        guard case .agreement(.gost(let peer), let ukm, let hash?) = demand else {
            throw HostCryptoError.invalidParameter
        }
        return try key.vko(with: peer.key, ukm: ukm.span, hash: hash)
    }
}

final class RSAEnvelopeKey: EnvelopeKey {
    private let key: RSAPrivateKey

    private init(_ key: consuming RSAPrivateKey) { self.key = key }

    convenience init() throws { self.init(try RSAPrivateKey(generating: 1024)) }

    var publicKey: PublicKeyInfo { .rsa(key.publicKey) }

    func other() throws -> any EnvelopeKey { try RSAEnvelopeKey() }

    func answer(_ demand: RecipientDemand) throws -> Secret {
        guard case .decryption(let ciphertext, let scheme) = demand else { throw HostCryptoError.invalidParameter }
        return try key.decrypt(ciphertext.span, scheme)
    }
}

final class ECEnvelopeKey: EnvelopeKey {
    private let key: ECPrivateKey

    private init(_ key: consuming ECPrivateKey) { self.key = key }

    convenience init(_ name: String = "a") throws {
        self.init(try ECPrivateKey.generate(on: .p256, random: Seeded(name)))
    }

    var publicKey: PublicKeyInfo { .ec(key.publicKey) }

    func other() throws -> any EnvelopeKey { try ECEnvelopeKey("b") }

    func answer(_ demand: RecipientDemand) throws -> Secret {
        guard case .agreement(.ec(let peer), _, nil) = demand else { throw HostCryptoError.invalidParameter }
        return try key.sharedSecret(with: peer)
    }
}

extension EnvelopeKey {
    var isGOST: Bool { self is GOSTEnvelopeKey }
    var info: [UInt8] { publicKey.der }

    func certificate() throws -> [UInt8] {
        let number = 0x100 + Int(info.last ?? 0)
        return try MadeCertificate(number: number, subject: "recipient", issuer: "issuer").der(of: info)
    }
}

/// An encrypted message, read as a whole.
struct Envelope {
    let recipients: [RecipientKey]
    private let encryption: ContentEncryption
    private let content: [ArraySlice<UInt8>]
    private let code: [UInt8]

    init(_ message: [UInt8]) throws {
        var reader = EnvelopeReader()
        var content: [ArraySlice<UInt8>] = []
        for start in stride(from: 0, to: message.count, by: 1000) {
            content += try reader.read(Array(message[start..<min(start + 1000, message.count)]))
        }
        guard let recipients = reader.recipients, let encryption = reader.encryption else {
            throw HostCryptoError.invalidEncoding
        }
        (self.recipients, self.encryption, self.content) = (recipients, encryption, content)
        code = try reader.finish()
    }

    static func recipient(_ certificate: [UInt8]) throws -> RecipientCertificate {
        try RecipientCertificate(der: certificate.span)
    }

    static func keysOfAllKinds() throws -> [any EnvelopeKey] {
        [try GOSTEnvelopeKey(.tc26256A), try GOSTEnvelopeKey(.tc26512A), try RSAEnvelopeKey(), try ECEnvelopeKey()]
    }

    static func made(
        of content: [UInt8], for keys: [any EnvelopeKey], _ cipher: ContentCipher,
        _ padding: RSAEncryptionScheme = .oaep(hash: .sha256, mask: .sha256, label: []), isInPieces: Bool = false
    ) throws -> [UInt8] {
        try made(
            of: content, for: keys.map { try recipient($0.certificate()) }, cipher, padding,
            isInPieces: isInPieces)
    }

    static func made(
        of content: [UInt8], for recipients: [RecipientCertificate], _ cipher: ContentCipher,
        _ padding: RSAEncryptionScheme = .pkcs1, isInPieces: Bool
    ) throws -> [UInt8] {
        let writer = try EnvelopeWriter(
            to: recipients, cipher: cipher, padding: padding, contentCount: isInPieces ? nil : content.count)
        var message = writer.head
        for start in stride(from: 0, to: content.count, by: 777) {
            try writer.write(Array(content[start..<min(start + 777, content.count)])) { message += $0 }
        }
        try writer.finish { message += $0 }
        return message
    }

    /// Opens the message by the first recipient that the key fits.
    func open(with key: any EnvelopeKey, sender: PublicKeyInfo? = nil) throws -> [UInt8] {
        var failure = HostCryptoError.invalidParameter
        for recipient in recipients {
            do {
                let secret = try key.answer(recipient.demand(of: key.publicKey, sender: sender))
                let contentKey = try recipient.contentKey(from: secret, for: encryption.cipher)
                let decryption = try ContentDecryption(encryption, key: contentKey)
                let parts = try content.flatMap { try decryption.update($0) }
                return try parts + decryption.finish(code: code)
            } catch let error as HostCryptoError {
                if failure != .decryptionFailed { failure = error }
            } catch is GOSTError {
                // The key is on another curve.
            }
        }
        throw failure
    }
}
