import GOST
import Secrets

/// What somebody has signed as X.509 has it: a certificate or a list of revoked ones (RFC 5280, 4.1.1 and 5.1.1).
struct SignedStructure: Sendable, Equatable {
    /// What is signed, a SEQUENCE in DER.
    let content: [UInt8]
    /// The object identifier in DER, and the contents of the BIT STRING.
    private let algorithm, signature: [UInt8]

    /// - Parameter contents: What stands in the outer SEQUENCE.
    init(_ contents: Span<UInt8>) throws(GOSTError) {
        var structure = DERReader(contents)
        content = [UInt8](copying: try structure.element(.sequence))
        var identifier = DERReader(try structure.contents(.sequence))
        algorithm = try identifier.objectIdentifier()
        let bits = try structure.contents(.bitString)
        try structure.end()
        guard !bits.isEmpty, bits[0] == 0 else { throw .invalidEncoding }
        signature = [UInt8](copying: bits.extracting(droppingFirst: 1))
    }

    /// Whether it is signed with a key.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    func isSigned(with key: PublicKeyInfo) throws(HostCryptoError) -> Bool {
        guard let algorithm = SignatureAlgorithm(oid: algorithm), algorithm.isUsed(with: key) else { return false }
        let digest = try Digest.digest(content.span, algorithm.digest)
        return try key.isValidSignature(signature, of: digest, algorithm.digest)
    }
}
