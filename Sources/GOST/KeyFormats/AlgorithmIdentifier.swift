// SPDX-License-Identifier: Apache-2.0

/// The AlgorithmIdentifier of a key: its algorithm, its curve and the parameter sets that go with it (RFC 9215, 4;
/// RFC 4491, 2.3.2).
package struct AlgorithmIdentifier: Sendable, Equatable {
    package let algorithm: PublicKeyAlgorithm
    package let curve: Curve
    /// Whether the hash function of ``PublicKeyAlgorithm/digestParameterSet`` is named.
    ///
    /// RFC 9215 leaves it out with its own parameter sets; OpenSSL's gost engine names it with two of them
    /// (``namingDigest``). Both are read, and written again as they were.
    package let namesDigest: Bool
    /// The S-box of GOST 28147-89 that a key of GOST R 34.10-2001 is used with: an object identifier in DER, tag and
    /// length included.
    package let encryptionParameterSet: [UInt8]?

    /// The identifier as its standard writes it.
    ///
    /// - Throws: ``GOSTError/invalidParameter`` if the algorithm does not allow such a curve.
    package init(algorithm: PublicKeyAlgorithm, curve: Curve) throws(GOSTError) {
        try self.init(algorithm, curve, namesDigest: curve.isOf2001, encryptionParameterSet: nil)
    }

    private init(
        _ algorithm: PublicKeyAlgorithm, _ curve: Curve, namesDigest: Bool, encryptionParameterSet: [UInt8]?
    ) throws(GOSTError) {
        guard algorithm.allows(curve) else { throw .invalidParameter }
        self.algorithm = algorithm
        self.curve = curve
        self.namesDigest = namesDigest
        self.encryptionParameterSet = encryptionParameterSet
    }

    /// The identifier as OpenSSL's gost engine writes it: the hash function is named with the parameter sets A and B of
    /// 512 bits too, where RFC 9215, 4.2, lets it be. BouncyCastle 1.72 reads no other.
    var namingDigest: AlgorithmIdentifier {
        get throws(GOSTError) {
            try AlgorithmIdentifier(
                algorithm, curve, namesDigest: namesDigest || curve == .tc26512A || curve == .tc26512B,
                encryptionParameterSet: encryptionParameterSet)
        }
    }

    /// Reads an identifier.
    ///
    /// - Parameter isOfPrivateKey: Whether names of agreement on keys are taken too, as
    ///   ``PublicKeyAlgorithm/init(privateKey:)`` does.
    /// - Throws: ``GOSTError/invalidEncoding``; ``GOSTError/invalidParameter`` for an algorithm, a curve or a hash
    ///   function that is not known or does not go with the others.
    package init(_ reader: inout DERReader, isOfPrivateKey: Bool = false) throws(GOSTError) {
        var identifier = DERReader(try reader.contents(.sequence))
        let oid = try identifier.objectIdentifier()
        guard let algorithm = PublicKeyAlgorithm(privateKey: oid), isOfPrivateKey || algorithm.oid == oid else {
            throw .invalidParameter
        }
        var parameters = DERReader(try identifier.contents(.sequence))
        try identifier.end()

        guard let curve = Curve(oid: try parameters.objectIdentifier()) else { throw .invalidParameter }
        let is2001 = algorithm == .gostR34102001
        let namesDigest = is2001 || !parameters.isAtEnd
        if namesDigest {
            guard try parameters.objectIdentifier() == algorithm.digestParameterSet else { throw .invalidParameter }
        }
        let encryption = is2001 && !parameters.isAtEnd ? try parameters.objectIdentifier() : nil
        try parameters.end()
        try self.init(algorithm, curve, namesDigest: namesDigest, encryptionParameterSet: encryption)
    }

    /// The identifier in DER.
    package var der: [UInt8] {
        let digest = namesDigest ? algorithm.digestParameterSet : []
        let parameters = DERTag.sequence.element(curve.oid + digest + (encryptionParameterSet ?? []))
        return DERTag.sequence.element(algorithm.oid + parameters)
    }
}

/// The algorithm of a key in X.509 and PKCS #8.
package enum PublicKeyAlgorithm: Sendable, Hashable, CaseIterable {
    /// id-GostR3410-2001 (RFC 4491, 2.3.2).
    case gostR34102001
    /// id-tc26-gost3410-12-256 (RFC 9215, 4).
    case gostR34102012256
    /// id-tc26-gost3410-12-512 (RFC 9215, 4).
    case gostR34102012512

    /// The object identifier in DER, tag and length included.
    package var oid: [UInt8] {
        switch self {
        case .gostR34102001: [0x06, 0x06, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x13]
        case .gostR34102012256: [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x01, 0x01]
        case .gostR34102012512: [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x01, 0x02]
        }
    }

    /// The algorithm of a private key, which writers also name by its purpose, key agreement (RFC 4490, 4.1;
    /// id-tc26-agreement-gost-3410-12-256 and -512).
    ///
    /// - Parameter oid: The object identifier in DER, tag and length included.
    package init?(privateKey oid: [UInt8]) {
        switch oid {
        case [0x06, 0x06, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x62]: self = .gostR34102001
        case [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x06, 0x01]: self = .gostR34102012256
        case [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x06, 0x02]: self = .gostR34102012512
        default:
            guard let algorithm = Self.allCases.first(where: { $0.oid == oid }) else { return nil }
            self = algorithm
        }
    }

    /// The object identifier of the hash function that belongs to the algorithm, tag and length included:
    /// id-GostR3411-94-CryptoProParamSet, id-tc26-gost3411-12-256 or id-tc26-gost3411-12-512.
    package var digestParameterSet: [UInt8] {
        switch self {
        case .gostR34102001: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1E, 0x01]
        case .gostR34102012256: [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x02]
        case .gostR34102012512: [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x03]
        }
    }

    /// The algorithm of a key that a token keeps by its parameter sets. The length of a key does not say whether it is of
    /// GOST R 34.10-2001, the hash function does; a key that names none is of 2012.
    ///
    /// - Parameter digestParameterSet: An object identifier in DER, tag and length included.
    package init(digestParameterSet: [UInt8]?, curve: Curve) {
        let usual: Self = curve.coordinateSize == 64 ? .gostR34102012512 : .gostR34102012256
        self = Self.allCases.first { $0.digestParameterSet == digestParameterSet } ?? usual
    }

    /// Whether this algorithm allows keys on a curve. Those of GOST R 34.10-2012 can use the parameter sets of GOST R
    /// 34.10-2001 too.
    func allows(_ curve: Curve) -> Bool {
        switch self {
        case .gostR34102001: curve.isOf2001
        case .gostR34102012256: curve.coordinateSize == 32
        case .gostR34102012512: curve.coordinateSize == 64
        }
    }
}

extension Curve {
    /// Whether the parameter set is one of GOST R 34.10-2001, under 1.2.643.2.2.
    var isOf2001: Bool { oid.starts(with: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02]) }
}
