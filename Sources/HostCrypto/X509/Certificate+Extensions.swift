// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

extension Certificate {
    /// The value of an extension, and whether it is critical; nil if the certificate does not have it.
    ///
    /// - Parameter type: The object identifier in DER, tag and length included.
    /// - Throws: `GOSTError/invalidEncoding`.
    func extensionValue(_ type: [UInt8]) throws(GOSTError) -> (isCritical: Bool, value: [UInt8])? {
        guard !extensions.isEmpty else { return nil }
        var reader = DERReader(extensions.span)
        var list = DERReader(try reader.contents(.sequence))
        while !list.isAtEnd {
            let found = try list.extension()
            if found.type == type { return (found.isCritical, found.value) }
        }
        return nil
    }

    /// Whether the purposes of the key, where the certificate names any, let it sign messages (RFC 5280, 4.2.1.12).
    ///
    /// Critical ones do if signed mail (RFC 8551), signed documents (RFC 9336) or any purpose is among them. Others say
    /// what the key is meant for and often leave this out: they only do not if they name time stamps or answers about
    /// revocation, whose signers must not sign what others give them, and none of the former.
    ///
    /// - Throws: `GOSTError/invalidEncoding`.
    var allowsMessages: Bool {
        get throws(GOSTError) {
            guard let (isCritical, value) = try extensionValue(Purpose.extension) else { return true }
            var reader = DERReader(value.span)
            var list = DERReader(try reader.contents(.sequence))
            try reader.end()
            var isRestricted = isCritical
            while !list.isAtEnd {
                let purpose = try list.objectIdentifier()
                if Purpose.messages.contains(purpose) { return true }
                if Purpose.services.contains(purpose) { isRestricted = true }
            }
            return !isRestricted
        }
    }
}

/// The object identifiers of the extension and of purposes in DER.
private enum Purpose {
    static let `extension`: [UInt8] = [0x06, 3, 0x55, 0x1D, 0x25]
    /// anyExtendedKeyUsage, emailProtection, documentSigning, and Microsoft's document signing.
    static let messages: [[UInt8]] = [
        [0x06, 4, 0x55, 0x1D, 0x25, 0x00], pkix(4), pkix(36),
        [0x06, 10, 0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x0A, 0x03, 0x0C],
    ]
    /// timeStamping and OCSPSigning.
    static let services = [pkix(8), pkix(9)]

    /// One of 1.3.6.1.5.5.7.3.
    private static func pkix(_ arc: UInt8) -> [UInt8] { [0x06, 8, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, arc] }
}
