// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// A structure that is signed as in X.509: a certificate or a list of revoked ones (RFC 5280, 4.1.1 and 5.1.1).
struct SignedStructure: Sendable, Equatable {
    /// The signed content, a SEQUENCE in DER.
    let content: [UInt8]
    /// The AlgorithmIdentifier in DER.
    private let identifier: [UInt8]
    /// The object identifier in DER, and the contents of the BIT STRING.
    private let algorithm, signature: [UInt8]
    /// Whether the signed content names the same algorithm, as required (RFC 5280, 4.1.1.2 and 5.1.1.2).
    private var namesAlgorithm = false

    /// - Parameter contents: The contents of the outer SEQUENCE.
    init(_ contents: Span<UInt8>) throws(GOSTError) {
        var structure = DERReader(contents)
        content = [UInt8](copying: try structure.element(.sequence))
        let identifier = [UInt8](copying: try structure.element(.sequence))
        self.identifier = identifier
        var outer = DERReader(identifier.span)
        var fields = DERReader(try outer.contents(.sequence))
        algorithm = try fields.objectIdentifier()
        let bits = try structure.contents(.bitString)
        try structure.end()
        guard !bits.isEmpty, bits[0] == 0 else { throw .invalidEncoding }
        signature = [UInt8](copying: bits.extracting(droppingFirst: 1))
    }

    /// Reads the algorithm that the signed content names.
    mutating func takeAlgorithm(_ content: inout DERReader) throws(GOSTError) {
        let inner = [UInt8](copying: try content.element(.sequence))
        namesAlgorithm = inner == identifier
    }

    /// nil for an algorithm that is not known here.
    var signatureAlgorithm: SignatureAlgorithm? { SignatureAlgorithm(oid: algorithm) }

    /// The digest of the signed content; empty for an algorithm that is not known here.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func digest() throws(HostCryptoError) -> [UInt8] {
        guard let algorithm = signatureAlgorithm else { return [] }
        return try Digest.digest(content.span, algorithm.digest)
    }

    /// Whether it is signed with a key.
    ///
    /// - Parameter digest: ``digest()``.
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func isSigned(with key: PublicKeyInfo, digest: [UInt8]) throws(HostCryptoError) -> Bool {
        guard namesAlgorithm, let algorithm = signatureAlgorithm, algorithm.isUsed(with: key) else { return false }
        return try key.isValidSignature(signature, of: digest, algorithm.digest)
    }
}

extension DigestAlgorithm {
    /// Whether no way is known to make two messages with one digest, so that a signature covers the message that its
    /// maker saw. MD5 and SHA-1 do not resist (RFC 6151; RFC 9155, 1).
    var resistsCollisions: Bool { self != .md5 && self != .sha1 }
}

extension PublicKeyInfo {
    /// Whether a signature by this key counts: RSA has to have 1024 bits or more, and an exponent of at most 256
    /// (FIPS 186-5, 5.1), for a longer one makes its verification slow.
    package var isStrong: Bool {
        guard case .rsa(let key) = self else { return true }
        return key.bitCount >= 1024 && key.publicExponent.count <= 32
    }
}
