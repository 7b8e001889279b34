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
    /// (``namingDigest``). BouncyCastle 1.72 names the digest of 2001 with keys of 2012 on the curves of 2001. All are read, and
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

extension Curve {
    /// Whether the parameter set is one of GOST R 34.10-2001, under 1.2.643.2.2.
    var isOf2001: Bool { oid.starts(with: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02]) }
}
