// SPDX-License-Identifier: Apache-2.0
import GOST

/// The object identifiers of CMS in DER, tag and length included (RFC 5652, 11; RFC 8551, 2.5.2; RFC 5035, 3, 5).
package enum CMS {
    package static let data = pkcs([7, 1])
    static let signedData = pkcs([7, 2])
    static let contentType = pkcs([9, 3])
    static let messageDigest = pkcs([9, 4])
    static let signingTime = pkcs([9, 5])
    static let countersignature = pkcs([9, 6])
    static let capabilities = pkcs([9, 15])
    static let timeStampInfo = pkcs([9, 16, 1, 4])
    static let signingCertificate = pkcs([9, 16, 2, 12])
    static let archiveTimeStamp = pkcs([9, 16, 2, 27])
    static let signingCertificateV2 = pkcs([9, 16, 2, 47])
    static let archiveTimeStampV2 = pkcs([9, 16, 2, 48])

    /// The attributes of S/MIME and CAdES, id-aa: an arc below 1.2.840.113549.1.9.16.2.
    static func attribute(_ arc: UInt8) -> [UInt8] { pkcs([9, 16, 2, arc]) }

    /// The ciphers that readers of GOST signatures support: GOST 28147-89.
    static let gostCapabilities = DERTag.sequence.element(
        DERTag.objectIdentifier.element([0x2A, 0x85, 0x03, 0x02, 0x02, 0x15]))

    /// 1.2.840.113549.1 and these arcs.
    private static func pkcs(_ arcs: [UInt8]) -> [UInt8] {
        DERTag.objectIdentifier.element([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01] + arcs)
    }
}
