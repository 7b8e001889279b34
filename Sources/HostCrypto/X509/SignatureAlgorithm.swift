public import GOST

/// How what X.509 and PKCS #10 have is signed.
public enum SignatureAlgorithm: Sendable, Hashable {
    /// The hash function that goes with the key (RFC 4491, 2.2; RFC 9215, 3).
    case gost(PublicKeyAlgorithm)
    /// RSASSA-PKCS1-v1_5 (RFC 4055, 5; RFC 3279, 2.2.1).
    case rsa(DigestAlgorithm)
    /// ECDSA (RFC 5758, 3.2; RFC 3279, 2.2.3).
    case ecdsa(DigestAlgorithm)

    /// The hash function.
    public var digest: DigestAlgorithm {
        switch self {
        case .gost(.gostR34102001): .gostR341194
        case .gost(.gostR34102012256): .streebog256
        case .gost(.gostR34102012512): .streebog512
        case .rsa(let digest), .ecdsa(let digest): digest
        }
    }

    /// The AlgorithmIdentifier in DER.
    ///
    /// - Throws: ``HostCryptoError/invalidParameter`` for a hash function that no identifier names here.
    public func der() throws(HostCryptoError) -> [UInt8] {
        switch self {
        case .gost(.gostR34102001): return Self.identifier([0x2A, 0x85, 0x03, 0x02, 0x02, 0x03])
        case .gost(.gostR34102012256): return Self.identifier([0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x03, 0x02])
        case .gost(.gostR34102012512): return Self.identifier([0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x03, 0x03])
        case .rsa(let digest):
            let arcs: [DigestAlgorithm: UInt8] = [
                .md5: 4, .sha1: 5, .sha256: 11, .sha384: 12, .sha512: 13, .sha224: 14,
            ]
            guard let arc = arcs[digest] else { throw .invalidParameter }
            return Self.identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, arc], DERTag.null.element([]))
        case .ecdsa(let digest):
            if digest == .sha1 { return Self.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x01]) }
            let arcs: [DigestAlgorithm: UInt8] = [.sha224: 1, .sha256: 2, .sha384: 3, .sha512: 4]
            guard let arc = arcs[digest] else { throw .invalidParameter }
            return Self.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, arc])
        }
    }

    private static func identifier(_ oid: [UInt8], _ parameters: [UInt8] = []) -> [UInt8] {
        DERTag.sequence.element(DERTag.objectIdentifier.element(oid) + parameters)
    }

    /// The contents of the BIT STRING for a signature as PKCS #11 has it: that of ECDSA becomes an ECDSA-Sig-Value, the
    /// others stay.
    func encoded(_ signature: [UInt8]) -> [UInt8] {
        guard case .ecdsa = self else { return signature }
        let half = signature.count / 2
        return DERTag.sequence.element(
            DERTag.unsignedInteger(Array(signature.prefix(half)))
                + DERTag.unsignedInteger(Array(signature.dropFirst(half))))
    }
}
