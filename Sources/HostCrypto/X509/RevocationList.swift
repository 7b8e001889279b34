// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import GOST
import Secrets

/// A list of revoked certificates (RFC 5280, 5), at one time.
final class RevocationList {
    /// The Name in DER.
    let issuer: [UInt8]
    /// Whether it is of this time, and says nothing that one would have to understand: that it is only of some
    /// certificates, or only of changes.
    let isUsable: Bool
    /// Whether these certificates' keys have signed it, as far as that is known.
    var signers: [ObjectIdentifier: Bool] = [:]
    private let signature: HashedStructure
    private let list: Handle

    /// - Parameters:
    ///   - der: The whole of the list in DER, and nothing behind it.
    ///   - time: In seconds since 1970.
    /// - Throws: ``HostCryptoError/invalidEncoding``; ``HostCryptoError/libraryFailure``.
    init(der: [UInt8], time: Int) throws(HostCryptoError) {
        do throws(GOSTError) {
            var reader = DERReader(der.span)
            let contents = try reader.contents(.sequence)
            try reader.end()
            let structure = try SignedStructure(contents)
            signature = HashedStructure(structure)
            let signed = structure.content
            var outer = DERReader(signed.span)
            var content = DERReader(try outer.contents(.sequence))
            if content.isAt(.integer) { _ = try content.contents(.integer) }
            _ = try content.contents(.sequence)
            issuer = [UInt8](copying: try content.element(.sequence))
        } catch {
            throw .invalidEncoding
        }
        let list = try quietly { () throws(HostCryptoError) in try Self.read(der) }
        self.list = list
        var now = time_t(time)
        let begins = unsafe X509_cmp_time(X509_CRL_get0_lastUpdate(list.pointer), &now) < 0
        let ends = unsafe X509_CRL_get0_nextUpdate(list.pointer).map { unsafe X509_cmp_time($0, &now) > 0 } ?? true
        let isPlain = (0..<(unsafe X509_CRL_get_ext_count(list.pointer))).allSatisfy { index in
            unsafe X509_EXTENSION_get_critical(X509_CRL_get_ext(list.pointer, index)) == 0
        }
        isUsable = begins && ends && isPlain
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
    func isSigned(with key: PublicKeyInfo) throws(HostCryptoError) -> Bool { try signature.isSigned(with: key) }

    /// Whether the certificate is on the list.
    func names(_ certificate: PathCertificate) -> Bool {
        let serial = unsafe X509_get0_serialNumber(certificate.handle.pointer)
        return unsafe X509_CRL_get0_by_serial(list.pointer, nil, serial) == 1
    }
}
