// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The digest by which an attribute names a certificate, a list or a response: OtherHash (RFC 5126, 5.7.3.3).
struct ReferenceHash: Sendable, Equatable {
    /// nil for a hash function that is not known here: such a digest names nothing.
    let algorithm: DigestAlgorithm?
    let value: [UInt8]

    /// - Throws: ``HostCryptoError/libraryFailure``.
    init(of bytes: [UInt8], by algorithm: DigestAlgorithm) throws(HostCryptoError) {
        self.algorithm = algorithm
        value = try Digest.digest(bytes.span, algorithm)
    }

    /// - Throws: ``GOSTError/invalidEncoding``.
    init(_ reader: inout DERReader) throws(GOSTError) {
        if reader.isAt(.octetString) {
            (algorithm, value) = (.sha1, [UInt8](copying: try reader.contents(.octetString)))
            return
        }
        var hash = try reader.nested(.sequence)
        var identifier = try hash.nested(.sequence)
        algorithm = DigestAlgorithm(oid: try identifier.objectIdentifier())
        value = [UInt8](copying: try hash.contents(.octetString))
        try hash.end()
    }

    /// In DER.
    var der: [UInt8] {
        guard let algorithm, algorithm != .sha1 else { return DERTag.octetString.element(value) }
        return DERTag.sequence.element(algorithm.identifier + DERTag.octetString.element(value))
    }

    /// Whether it is the digest of some bytes.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func names(_ bytes: [UInt8]) throws(HostCryptoError) -> Bool {
        guard let algorithm, algorithm.size == value.count else { return false }
        return try Digest.digest(bytes.span, algorithm) == value
    }
}
