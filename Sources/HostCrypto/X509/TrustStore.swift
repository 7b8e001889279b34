// SPDX-License-Identifier: Apache-2.0

/// Whom one trusts, and what helps to find a way there: certificates, and lists of those that are revoked.
///
/// A path is as RFC 5280, 6.1, has it, without policies and constraints of names: a certificate with critical ones is
/// not understood.
package struct TrustStore: Sendable {
    /// Of which certificates a list must tell that they are not revoked. Where there is a list it always counts.
    package enum RevocationCheck: Sendable {
        case none, leaf, all
    }

    /// In DER.
    package var trusted: [[UInt8]]
    package var certificates: [[UInt8]]
    package var revocationLists: [[UInt8]]
    package var revocationCheck = RevocationCheck.none
    /// Whether a path may end at a trusted certificate that others have issued.
    package var allowsPartialPaths = false

    package init(trusted: [[UInt8]], certificates: [[UInt8]] = [], revocationLists: [[UInt8]] = []) {
        self.trusted = trusted
        self.certificates = certificates
        self.revocationLists = revocationLists
    }

    /// Throws unless every certificate and list can be read.
    ///
    /// - Throws: ``HostCryptoError/invalidEncoding``; ``HostCryptoError/libraryFailure``.
    package func requireReadable() throws(HostCryptoError) {
        for der in trusted + certificates {
            let certificate = try Certificate(der: der.span)
            _ = try PathCertificate(certificate, time: 0)
        }
        for der in revocationLists { _ = try RevocationList(der: der, time: 0) }
    }

    /// Whether a path leads from a certificate that signs messages to a trusted one. At most 72 signatures are verified.
    ///
    /// - Parameters:
    ///   - certificate: In DER.
    ///   - time: When all of it must be valid, in seconds since 1970.
    /// - Throws: ``HostCryptoError/invalidEncoding`` for the certificate, a trusted one or a list: any other that cannot be
    ///   read is of no help; ``HostCryptoError/libraryFailure``.
    package func trusts(_ certificate: [UInt8], at time: Int) throws(HostCryptoError) -> Bool {
        let leaf = try Certificate(der: certificate.span)
        let limit = SignerVerification.signatureLimit(signers: 1)
        let search = try PathSearch(self, further: [leaf.der], time: time, signatureLimit: limit)
        let candidates = search.candidates(issuer: leaf.issuer, serialNumber: leaf.serialNumber)
        guard let candidate = candidates.first(where: { $0.certificate.der == leaf.der }) else { return false }
        return try search.trusts(candidate)
    }
}
