// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The certificates above another one, as far as they are known.
package enum CertificateChain {
    /// The greatest number of certificates, which more than one authority of a name may issue.
    private static let limit = 32

    /// - Parameters:
    ///   - leaf: A certificate in DER.
    ///   - known: Certificates in DER. Those that cannot be read are passed over.
    /// - Returns: In DER, and each once, the issuer first: those whose key has signed the certificate or one of the
    ///   others, up to a root. A signature by a hash function that does not resist collisions counts for nothing.
    /// - Throws: ``HostCryptoError/invalidEncoding`` for the leaf; ``HostCryptoError/libraryFailure``.
    package static func above(_ leaf: [UInt8], among known: [[UInt8]]) throws(HostCryptoError) -> [[UInt8]] {
        var chain = [try Certificate(der: leaf.span)]
        var others: [Certificate] = []
        for der in known {
            guard let certificate = try? Certificate(der: der.span) else { continue }
            if !(chain + others).contains(where: { $0.der == certificate.der }) { others.append(certificate) }
        }
        var place = 0
        while place < chain.count, chain.count <= limit {
            let certificate = chain[place]
            let signature = HashedStructure(certificate.structure)
            place += 1
            guard certificate.issuer != certificate.subject else { continue }
            for other in others where other.subject == certificate.issuer && chain.count <= limit {
                let info = other.subjectPublicKeyInfo
                guard !chain.contains(where: { $0.der == other.der }), let key = try? PublicKeyInfo(der: info.span),
                    try signature.isSigned(with: key)
                else { continue }
                chain.append(other)
            }
        }
        return chain.dropFirst().map(\.der)
    }
}
