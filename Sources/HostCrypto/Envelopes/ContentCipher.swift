// SPDX-License-Identifier: Apache-2.0
package import GOST
import Secrets

/// The cipher of an encrypted message's content.
package enum ContentCipher: Sendable, Hashable {
    /// GOST 28147-89 with feedback, whose key changes every 1024 bytes (RFC 4490, 5; RFC 4357, 2.3.2).
    case gost28147(SBox)
    /// Kuznyechik in CTR-ACPKM, with or without OMAC of the content (R 1323565.1.025-2019).
    case kuznyechik(hasCode: Bool)
    /// Magma in CTR-ACPKM, with or without OMAC of the content (R 1323565.1.025-2019).
    case magma(hasCode: Bool)
    /// AES in GCM (RFC 5084), with a key of so many bytes.
    case aesGCM(keySize: Int)
    /// AES in CBC (RFC 3565), with a key of so many bytes.
    case aesCBC(keySize: Int)
    /// Triple DES in CBC (RFC 3370, 5.1), which older programs still write. Nothing is encrypted with it here.
    case tripleDES

    /// Whether a change of the content is noticed.
    package var isAuthenticated: Bool { codeSize > 0 }

    /// The number of bytes of the content key.
    package var keySize: Int {
        switch self {
        case .gost28147, .kuznyechik, .magma: 32
        case .aesGCM(let size), .aesCBC(let size): size
        case .tripleDES: 24
        }
    }

    /// The number of bytes of the code that is written; 0 for a cipher without one.
    var codeSize: Int {
        switch self {
        case .kuznyechik(hasCode: true), .aesGCM: 16
        case .magma(hasCode: true): 8
        default: 0
        }
    }

    /// The number of bytes that a message has of its own for the cipher: initialisation vector, and the seed of its keys.
    var vectorSize: Int {
        switch self {
        case .gost28147, .tripleDES: 8
        case .kuznyechik, .aesCBC: 16
        case .magma, .aesGCM: 12
        }
    }

    /// The number of bytes of a content when it is encrypted.
    func encryptedCount(of count: Int) -> Int {
        guard case .aesCBC = self else { return count }
        return (count / 16 + 1) * 16
    }

    /// Whether the message is AuthEnvelopedData (RFC 5083), which has its code behind the content. OMAC is in an attribute
    /// of EnvelopedData.
    var isOfAuthEnvelopedData: Bool {
        if case .aesGCM = self { return true }
        return false
    }

    /// The object identifier in DER.
    var oid: [UInt8] {
        switch self {
        case .gost28147: [0x06, 0x06, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x15]
        case .magma(let hasCode): Self.tc26([5, 1, hasCode ? 2 : 1])
        case .kuznyechik(let hasCode): Self.tc26([5, 2, hasCode ? 2 : 1])
        case .aesCBC(let size): Self.aes(size, 2)
        case .aesGCM(let size): Self.aes(size, 6)
        case .tripleDES: [0x06, 0x08, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x03, 0x07]
        }
    }

    /// 1.2.643.7.1.1 and these arcs.
    static func tc26(_ arcs: [UInt8]) -> [UInt8] {
        DERTag.objectIdentifier.element([0x2A, 0x85, 0x03, 0x07, 0x01, 0x01] + arcs)
    }

    /// An arc of 2.16.840.1.101.3.4.1, of which each length of a key has 20.
    static func aes(_ keySize: Int, _ arc: UInt8) -> [UInt8] {
        let offset: UInt8 = keySize == 16 ? 0 : keySize == 24 ? 20 : 40
        return DERTag.objectIdentifier.element([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, arc + offset])
    }

    /// The ciphers that are read, but for the substitution of GOST 28147-89.
    private static let known: [ContentCipher] =
        [.kuznyechik(hasCode: true), .kuznyechik(hasCode: false), .magma(hasCode: true), .magma(hasCode: false)]
        + [16, 24, 32].flatMap { [.aesGCM(keySize: $0), .aesCBC(keySize: $0)] } + [.tripleDES]

    init?(oid: [UInt8]) {
        guard let cipher = Self.known.first(where: { $0.oid == oid }) else { return nil }
        self = cipher
    }
}
