// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// The identifier of a certificate in requests and responses about its revocation, CertID (RFC 6960, 4.1.1).
struct OCSPCertificateID: Sendable, Equatable {
    /// nil for a hash function that is not known here.
    private let digest: DigestAlgorithm?
    /// The digests of the issuer's Name and of the bits of its key.
    private let nameHash, keyHash: [UInt8]
    /// The INTEGER in DER.
    private let serialNumber: [UInt8]

    /// - Throws: ``HostCryptoError/invalidEncoding`` for a key of the issuer that cannot be read;
    ///   ``HostCryptoError/libraryFailure``.
    init(_ certificate: Certificate, issuer: Certificate, _ digest: DigestAlgorithm) throws(HostCryptoError) {
        let (name, key) = (issuer.subject, try issuer.publicKeyBits)
        nameHash = try Digest.digest(name.span, digest)
        keyHash = try Digest.digest(key.span, digest)
        self.digest = digest
        serialNumber = certificate.serialNumber
    }

    init(_ reader: inout DERReader) throws(GOSTError) {
        var fields = try reader.nested(.sequence)
        var algorithm = try fields.nested(.sequence)
        digest = DigestAlgorithm(oid: try algorithm.objectIdentifier())
        nameHash = [UInt8](copying: try fields.contents(.octetString))
        keyHash = [UInt8](copying: try fields.contents(.octetString))
        serialNumber = [UInt8](copying: try fields.element(.integer))
        try fields.end()
    }

    /// Whether it is the identifier of a certificate.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func names(_ certificate: Certificate, issuer: Certificate) throws(HostCryptoError) -> Bool {
        guard let digest, serialNumber == certificate.serialNumber else { return false }
        let own = try OCSPCertificateID(certificate, issuer: issuer, digest)
        return own == self
    }

    var der: [UInt8] {
        let algorithm = DERTag.sequence.element((digest?.oid ?? []) + DERTag.null.element([]))
        return DERTag.sequence.element(
            algorithm + DERTag.octetString.element(nameHash) + DERTag.octetString.element(keyHash) + serialNumber)
    }
}

extension Certificate {
    /// The contents of the BIT STRING of the public key, without the number of unused bits.
    ///
    /// - Throws: ``HostCryptoError/invalidEncoding``.
    var publicKeyBits: [UInt8] {
        get throws(HostCryptoError) {
            do throws(GOSTError) {
                var reader = DERReader(subjectPublicKeyInfo.span)
                var info = DERReader(try reader.contents(.sequence))
                _ = try info.contents(.sequence)
                let bits = try info.contents(.bitString)
                guard !bits.isEmpty else { throw .invalidEncoding }
                return [UInt8](copying: bits.extracting(droppingFirst: 1))
            } catch {
                throw .invalidEncoding
            }
        }
    }

    /// The SHA-1 digest of ``publicKeyBits``.
    ///
    /// - Throws: ``HostCryptoError/invalidEncoding``; ``HostCryptoError/libraryFailure``.
    var publicKeyHash: [UInt8] {
        get throws(HostCryptoError) {
            let bits = try publicKeyBits
            return try Digest.digest(bits.span, .sha1)
        }
    }
}
