// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import GOST
import Secrets

/// A list of revoked certificates (RFC 5280, 5).
final class RevocationList: Sendable {
    /// The Name in DER.
    let issuer: [UInt8]
    private let scope: RevocationScope
    private let structure: SignedStructure
    private let digest: [UInt8]
    private let list: Handle

    /// - Parameter der: The whole of the list in DER, and nothing behind it.
    /// - Throws: ``HostCryptoError/invalidEncoding``; ``HostCryptoError/libraryFailure``.
    init(der: [UInt8]) throws(HostCryptoError) {
        do throws(GOSTError) {
            var reader = DERReader(der.span)
            let contents = try reader.contents(.sequence)
            try reader.end()
            var structure = try SignedStructure(contents)
            let signed = structure.content
            var outer = DERReader(signed.span)
            var content = DERReader(try outer.contents(.sequence))
            if content.isAt(.integer) { _ = try content.contents(.integer) }
            try structure.takeAlgorithm(&content)
            self.structure = structure
            issuer = [UInt8](copying: try content.element(.sequence))
            scope = try RevocationScope(&content)
        } catch {
            throw .invalidEncoding
        }
        digest = try structure.digest()
        list = try quietly { () throws(HostCryptoError) in try Self.read(der) }
    }

    /// Whether it is valid at a time, in seconds since 1970, and fully understood here.
    func isUsable(at time: Int) -> Bool {
        let now = time_t(time)
        let begins = unsafe COpenSSL_compare_time(X509_CRL_get0_lastUpdate(list.pointer), now) < 0
        let next = unsafe X509_CRL_get0_nextUpdate(list.pointer)
        let ends = unsafe next.map { unsafe COpenSSL_compare_time($0, now) > 0 } ?? true
        return begins && ends && scope.isUnderstood
    }

    /// The list in libcrypto (`X509_CRL`).
    private static func read(_ der: [UInt8]) throws(HostCryptoError) -> Handle {
        let made = unsafe der.withUnsafeBufferPointer { der in
            var start = der.baseAddress
            return unsafe d2i_X509_CRL(nil, &start, der.count)
        }
        return try unsafe Handle(made, free: X509_CRL_free, else: .invalidEncoding)
    }

    /// Whether the list is signed with a key, by a hash function that resists collisions.
    func isSigned(with key: PublicKeyInfo) throws(HostCryptoError) -> Bool {
        guard structure.signatureAlgorithm?.digest.resistsCollisions == true else { return false }
        return try structure.isSigned(with: key, digest: digest)
    }

    /// Whether the certificate is on the list.
    func names(_ certificate: PathCertificate) -> Bool {
        let serial = unsafe X509_get0_serialNumber(certificate.handle.pointer)
        return unsafe X509_CRL_get0_by_serial(list.pointer, nil, serial) == 1
    }

    /// Whether a certificate that is not on the list is not revoked.
    func isWhole(for certificate: Certificate, isAuthority: Bool) -> Bool {
        scope.isWhole(for: certificate, isAuthority: isAuthority)
    }
}
