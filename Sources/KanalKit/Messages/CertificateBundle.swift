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

/// The certificates between a signer's and a root, which a message may have with it.
public enum CertificateChain {
    /// The certificates above another one, as far as they are known: its issuer's, and so on up to a root.
    ///
    /// - Parameters:
    ///   - certificate: In DER.
    ///   - known: In DER, of any subjects.
    /// - Returns: Each in DER, the issuer's first. They are in the order of signatures; no time and no purpose is asked
    ///   for.
    public static func above(_ certificate: [UInt8], among known: [[UInt8]]) throws(KanalError) -> [[UInt8]] {
        do throws(HostCryptoError) { return try HostCrypto.CertificateChain.above(certificate, among: known) } catch {
            guard error != .libraryFailure else { throw KanalError(host: error) }
            throw .invalidArgument("the certificate cannot be read")
        }
    }
}
