// SPDX-License-Identifier: Apache-2.0
import APDU
import Containers
import GOST
import Token

/// The fields that name a certificate, and its public key, in DER (RFC 5280, 4.1).
package struct CertificateNames {
    package var serialNumber: [UInt8]
    package var issuer: [UInt8]
    package var subject: [UInt8]
    package var publicKeyInfo: [UInt8]

    /// - Returns: nil for a malformed certificate.
    package init?(certificate: [UInt8]) {
        do throws(MalformedBytes) {
            var cursor = ByteCursor(certificate)
            cursor = ByteCursor(try cursor.object(0x30))
            cursor = ByteCursor(try cursor.object(0x30))
            if cursor.nextTag == 0xA0 { _ = try cursor.object() }
            serialNumber = try Self.field(0x02, &cursor)
            _ = try cursor.object(0x30)
            issuer = try Self.field(0x30, &cursor)
            _ = try cursor.object(0x30)
            subject = try Self.field(0x30, &cursor)
            publicKeyInfo = try Self.field(0x30, &cursor)
        } catch {
            return nil
        }
    }

    /// The next object with its tag and length.
    private static func field(_ tag: UInt8, _ cursor: inout ByteCursor) throws(MalformedBytes) -> [UInt8] {
        var field: [UInt8] = []
        field.appendObject(tag, try cursor.object(tag))
        return field
    }
}
