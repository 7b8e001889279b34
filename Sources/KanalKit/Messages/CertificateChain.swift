// SPDX-License-Identifier: Apache-2.0
import HostCrypto

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
