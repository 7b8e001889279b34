// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// The object identifiers of the extension and of purposes in DER.
enum Purpose {
    static let `extension`: [UInt8] = [0x06, 3, 0x55, 0x1D, 0x25]
    /// anyExtendedKeyUsage, emailProtection, documentSigning, and Microsoft's document signing.
    static let messages: [[UInt8]] = [
        anyPurpose, pkix(4), pkix(36),
        [0x06, 10, 0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x0A, 0x03, 0x0C],
    ]
    /// timeStamping and OCSPSigning.
    static let services = [timeStamping, ocspSigning]
    static let timeStamping = pkix(8)
    static let anyPurpose: [UInt8] = [0x06, 4, 0x55, 0x1D, 0x25, 0x00]
    static let ocspSigning = pkix(9)

    /// One of 1.3.6.1.5.5.7.3.
    private static func pkix(_ arc: UInt8) -> [UInt8] { [0x06, 8, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, arc] }
}
