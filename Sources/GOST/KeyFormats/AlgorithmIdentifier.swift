// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels

/// The AlgorithmIdentifier of a key: its algorithm, its curve and the parameter sets that go with it (RFC 9215, 4;
/// RFC 4491, 2.3.2).
package struct AlgorithmIdentifier: Sendable, Equatable {
    package let algorithm: PublicKeyAlgorithm
    package let curve: Curve
    /// The hash function that is named: an object identifier in DER, tag and length included; nil without one.
    ///
    /// RFC 9215 leaves it out with its own parameter sets; OpenSSL's gost engine names it with two of them
    /// (``namingDigest``). BouncyCastle 1.72 names that of 2001 with keys of 2012 on the curves of 2001. All are read, and
    /// written again as they were; the key's hash function is ``PublicKeyAlgorithm/digestParameterSet``.
    package let digestParameterSet: [UInt8]?
    /// The S-box of GOST 28147-89 that is named, as for a key of GOST R 34.10-2001: an object identifier in DER, tag and
    /// length included.
    package let encryptionParameterSet: [UInt8]?

    /// The identifier as its standard writes it.
    ///
    /// - Throws: ``GOSTError/invalidParameter`` if the algorithm does not allow such a curve.
    package init(algorithm: PublicKeyAlgorithm, curve: Curve) throws(GOSTError) {
        try self.init(algorithm, curve, digest: curve.isOf2001 ? algorithm.digestParameterSet : nil)
    }

    private init(
        _ algorithm: PublicKeyAlgorithm, _ curve: Curve, digest: [UInt8]?, encryptionParameterSet: [UInt8]? = nil
    ) throws(GOSTError) {
        guard algorithm.allows(curve, digest: digest ?? []) else { throw .invalidParameter }
        self.algorithm = algorithm
        self.curve = curve
        digestParameterSet = digest
        self.encryptionParameterSet = encryptionParameterSet
    }

    /// The identifier as OpenSSL's gost engine writes it: the hash function is named with the parameter sets A and B of
    /// 512 bits too, where RFC 9215, 4.2, lets it be. BouncyCastle 1.72 reads no other.
    var namingDigest: AlgorithmIdentifier {
        get throws(GOSTError) {
            let isNamed = curve == .tc26512A || curve == .tc26512B
            return try AlgorithmIdentifier(
                algorithm, curve, digest: digestParameterSet ?? (isNamed ? algorithm.digestParameterSet : nil),
                encryptionParameterSet: encryptionParameterSet)
        }
    }

    /// Reads an identifier.
    ///
    /// - Parameter isOfPrivateKey: Whether names of agreement on keys are taken too, as
    ///   ``PublicKeyAlgorithm/init(privateKey:)`` does, and a curve that no SEQUENCE surrounds.
    /// - Throws: ``GOSTError/invalidEncoding``; ``GOSTError/invalidParameter`` for an algorithm, a curve or a hash
    ///   function that is not known or does not go with the others.
    package init(_ reader: inout DERReader, isOfPrivateKey: Bool = false) throws(GOSTError) {
        var identifier = DERReader(try reader.contents(.sequence))
        let oid = try identifier.objectIdentifier()
        guard let algorithm = PublicKeyAlgorithm(privateKey: oid), isOfPrivateKey || algorithm.oid == oid else {
            throw .invalidParameter
        }
        // Botan writes the curve of a private key bare.
        let isBare = isOfPrivateKey && identifier.isAt(.objectIdentifier)
        var parameters = isBare ? identifier : DERReader(try identifier.contents(.sequence))
        if !isBare { try identifier.end() }

        guard let curve = Curve(oid: try parameters.objectIdentifier()) else { throw .invalidParameter }
        let digest = parameters.isAtEnd ? nil : try parameters.objectIdentifier()
        let encryption = parameters.isAtEnd ? nil : try parameters.objectIdentifier()
        try parameters.end()
        try self.init(algorithm, curve, digest: digest, encryptionParameterSet: encryption)
    }

    /// The identifier in DER.
    package var der: [UInt8] {
        let parameters = DERTag.sequence.element(
            curve.oid + (digestParameterSet ?? []) + (encryptionParameterSet ?? []))
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

    /// Whether a key of this algorithm may name such a curve, and such a hash function if it names one: by the table that
    /// OpenSSL's provider and engine read keys with, too.
    ///
    /// - Parameter digest: An object identifier in DER, tag and length included; empty for none.
    func allows(_ curve: Curve, digest: [UInt8]) -> Bool {
        let algorithm: gost_key_algorithm =
            switch self {
            case .gostR34102001: .of_2001
            case .gostR34102012256: .of_2012_256
            case .gostR34102012512: .of_2012_512
            }
        return unsafe gost_key_has_parameters(algorithm, curve.oid, curve.oid.count, digest, digest.count) != 0
    }
}

extension Curve {
    /// Whether the parameter set is one of GOST R 34.10-2001, under 1.2.643.2.2.
    var isOf2001: Bool { oid.starts(with: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02]) }
}
