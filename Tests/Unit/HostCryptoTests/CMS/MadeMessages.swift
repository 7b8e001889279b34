// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets
import TestSupport

/// A key of ECDSA with P-256, which signs digests of SHA-256.
final class MadeKey {
    private let key: ECPrivateKey

    init(_ key: consuming ECPrivateKey) { self.key = key }

    convenience init(_ name: String) throws { self.init(try ECPrivateKey.generate(on: .p256, random: Seeded(name))) }

    var publicKeyInfo: [UInt8] { PublicKeyInfo.ec(key.publicKey).der }

    /// As PKCS #11 has it.
    func bareSignature(of bytes: [UInt8]) throws -> [UInt8] { try key.signature(DigestAlgorithm.sha256(bytes)) }

    /// An ECDSA-Sig-Value.
    func signature(of bytes: [UInt8]) throws -> [UInt8] {
        let bare = try bareSignature(of: bytes)
        let halves: [[UInt8]] = [bare.prefix(32), bare.suffix(32)].map { half in
            let digits = Array(half.drop { $0 == 0 })
            return DERTag.integer.element((digits.first ?? 0 >= 0x80 ? [0] : []) + digits)
        }
        return DERTag.sequence.element(halves[0] + halves[1])
    }
}

/// A message whose signers all have the same signature.
struct MadeMessage {
    var content: [UInt8]
    /// The certificates of the signers, and those that go with the message.
    var signers, certificates: [[UInt8]]
    /// An ECDSA-Sig-Value.
    var signature: [UInt8]
    /// The signed attributes, a SET OF in DER; nil if the content itself is signed.
    var attributes: [UInt8]?
    /// The algorithm beside the signature.
    var algorithm = SignatureAlgorithm.ecdsa(.sha256)

    func der() throws -> [UInt8] {
        let version = DERTag.integer.element([1])
        let sha256 = DERTag.sequence.element(
            DERTag.objectIdentifier.element([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]))
        let algorithm = try algorithm.der()
        let infos = try signers.map { der in
            let fields = try Certificate(der: der.span)
            return DERTag.sequence.element(
                version + DERTag.sequence.element(fields.issuer + fields.serialNumber) + sha256
                    + (attributes.map { [DERTag.context0.rawValue] + $0.dropFirst() } ?? []) + algorithm
                    + DERTag.octetString.element(signature))
        }
        let type: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07]
        let data = DERTag.objectIdentifier.element(type + [1])
        let contents = [
            version, DERTag.set.element(sha256),
            DERTag.sequence.element(data + DERTag.context0.element(DERTag.octetString.element(content))),
            DERTag.context0.element(certificates.flatMap { $0 }), DERTag.set.element(infos.flatMap { $0 }),
        ]
        let signedData = DERTag.sequence.element(contents.flatMap { $0 })
        return DERTag.sequence.element(
            DERTag.objectIdentifier.element(type + [2]) + DERTag.context0.element(signedData))
    }
}

/// A certificate of the years 2025 to 2049.
struct MadeCertificate {
    var number: Int
    var subject, issuer: String
    var isAuthority = false
    /// The number of authorities that may follow an authority; nil for any.
    var pathLength: UInt8?
    /// The uses of the key, the first byte of their bits; nil if none are named.
    var keyUsage: UInt8?
    var keyIdentifier: [UInt8]?

    /// - Parameter certifying: nil for a signature that is good for nothing.
    func der(of key: MadeKey, by certifying: MadeKey?) throws -> [UInt8] {
        try der(of: key.publicKeyInfo, by: certifying)
    }

    /// - Parameter publicKeyInfo: The key's.
    func der(of publicKeyInfo: [UInt8], by certifying: MadeKey? = nil) throws -> [UInt8] {
        let algorithm = try SignatureAlgorithm.ecdsa(.sha256).der()
        let times = ["250101000000Z", "491231235959Z"].map { DERTag.utcTime.element([UInt8]($0)) }
        let length: [UInt8] = pathLength.map { [0x02, 1, $0] } ?? []
        let value = DERTag.sequence.element([0x01, 1, 0xFF] + length)
        let constraints = DERTag.sequence.element(
            [0x06, 3, 0x55, 0x1D, 0x13, 0x01, 1, 0xFF] + DERTag.octetString.element(value))
        let usage = keyUsage.map { uses in
            DERTag.sequence.element(
                [0x06, 3, 0x55, 0x1D, 0x0F]
                    + DERTag.octetString.element(DERTag.bitString.element([0, uses])))
        }
        let identifier = keyIdentifier.map { identifier in
            DERTag.sequence.element(
                [0x06, 3, 0x55, 0x1D, 0x0E]
                    + DERTag.octetString.element(DERTag.octetString.element(identifier)))
        }
        let others = [isAuthority ? constraints : nil, usage, identifier].compactMap { $0 }
        let number = DERTag.integer.element([1, UInt8(number >> 8), UInt8(number & 0xFF)])
        let extensions = DERTag.context3.element(DERTag.sequence.element(others.flatMap { $0 }))
        let parts = [
            DERTag.context0.element(DERTag.integer.element([2])), number, algorithm, Self.name(issuer),
            DERTag.sequence.element(times[0] + times[1]), Self.name(subject), publicKeyInfo,
            others.isEmpty ? [] : extensions,
        ]
        let content = DERTag.sequence.element(parts.flatMap { $0 })
        let signature = try certifying?.signature(of: content) ?? [UInt8](repeating: 1, count: 70)
        return DERTag.sequence.element(content + algorithm + DERTag.bitString.element([0] + signature))
    }

    private static func name(_ text: String) -> [UInt8] {
        let value = [0x0C] + DERTag.octetString.element([UInt8](text)).dropFirst()
        let attribute = DERTag.sequence.element(DERTag.objectIdentifier.element([0x55, 4, 3]) + value)
        return DERTag.sequence.element(DERTag.set.element(attribute))
    }
}
