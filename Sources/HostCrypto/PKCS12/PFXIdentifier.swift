// SPDX-License-Identifier: Apache-2.0

import GOST

/// Object identifiers in DER, tag and length included.
enum PFXIdentifier {
    static let encryptedData = pkcs([7, 6])
    /// PBES2, PBKDF2 and the pseudorandom functions (RFC 8018, A and B.1).
    static let pbes2 = pkcs([5, 13])
    static let pbkdf2 = pkcs([5, 12])
    /// RFC 8018, A.5.
    static let pbmac1 = pkcs([5, 14])
    /// The bags of a file (RFC 7292, 4.2).
    static let (keyBag, shroudedKeyBag, certificateBag) = (bag(1), bag(2), bag(3))
    static let (revocationBag, secretBag) = (bag(4), bag(5))
    static let keyBags = [keyBag, shroudedKeyBag]
    /// CryptoPro's own.
    static let cryptoProKey = pkcs([12, 1, 80])
    static let x509Certificate = pkcs([9, 22, 1])
    static let friendlyName = pkcs([9, 20])
    static let localKeyID = pkcs([9, 21])

    private static func bag(_ arc: UInt8) -> [UInt8] { pkcs([12, 10, 1, arc]) }

    /// 1.2.840.113549.1 and these arcs.
    static func pkcs(_ arcs: [UInt8]) -> [UInt8] { oid([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01] + arcs) }

    /// 1.2.840.113549 and these arcs.
    static func rsadsi(_ arcs: [UInt8]) -> [UInt8] { oid([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D] + arcs) }

    /// 1.2.643.7.1.1 and these arcs.
    static func tc26(_ arcs: [UInt8]) -> [UInt8] { oid([0x2A, 0x85, 0x03, 0x07, 0x01, 0x01] + arcs) }

    static func oid(_ contents: [UInt8]) -> [UInt8] { DERTag.objectIdentifier.element(contents) }
}
