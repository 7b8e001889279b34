// SPDX-License-Identifier: Apache-2.0
import HostCrypto

/// Certificates in a message (RFC 5652, 5.1), as files with the ending .p7b have them: a message without signers.
public enum CertificateBundle {
    /// The certificates that a message has in it. No signature is verified.
    ///
    /// - Parameter message: The whole message, in BER.
    /// - Returns: Each in DER, in the order of the message; nil if `message` is not a signed message.
    public static func certificates(in message: [UInt8]) -> [[UInt8]]? {
        (try? SignedData(ber: message.span))?.certificates
    }
}
