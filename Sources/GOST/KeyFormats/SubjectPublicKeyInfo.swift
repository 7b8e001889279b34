// SPDX-License-Identifier: Apache-2.0

import Secrets

/// A public key as X.509 has it (RFC 9215, 4; RFC 4491, 2.3.2).
package struct SubjectPublicKeyInfo: Sendable, Equatable {
    package let algorithm: AlgorithmIdentifier
    package let key: PublicKey

    /// - Throws: ``GOSTError/invalidParameter`` if the algorithm does not allow the key's curve.
    package init(algorithm: PublicKeyAlgorithm, key: PublicKey) throws(GOSTError) {
        self.algorithm = try AlgorithmIdentifier(algorithm: algorithm, curve: key.curve)
        self.key = key
    }

    /// The key as requests for certificates name it, ``AlgorithmIdentifier/namingDigest``.
    package var namingDigest: SubjectPublicKeyInfo {
        get throws(GOSTError) { SubjectPublicKeyInfo(algorithm: try algorithm.namingDigest, key: key) }
    }

    private init(algorithm: AlgorithmIdentifier, key: PublicKey) {
        self.algorithm = algorithm
        self.key = key
    }

    /// Reads and checks a public key.
    ///
    /// - Parameter der: The whole of the structure in DER, and nothing behind it.
    /// - Throws: ``GOSTError/invalidEncoding``; ``GOSTError/invalidParameter`` for an algorithm, a curve or a hash
    ///   function that is not known or does not go with the others; ``GOSTError/invalidPoint`` as
    ///   ``PublicKey/init(curve:bytes:)`` does; ``GOSTError/libraryFailure``.
    /// - Warning: leaks `der` through timing; for public values only.
    package init(der: Span<UInt8>) throws(GOSTError) {
        var reader = DERReader(der)
        var info = DERReader(try reader.contents(.sequence))
        try reader.end()
        algorithm = try AlgorithmIdentifier(&info)
        let bits = try info.contents(.bitString)
        try info.end()

        // The first byte is the number of unused bits in the last.
        guard !bits.isEmpty, bits[0] == 0 else { throw .invalidEncoding }
        var string = DERReader(bits.extracting(droppingFirst: 1))
        let point = [UInt8](copying: try string.contents(.octetString))
        try string.end()
        key = try PublicKey(curve: algorithm.curve, bytes: point)
    }

    /// The structure in DER.
    package var der: [UInt8] { DERTag.sequence.element(contents) }

    /// The contents of the SEQUENCE.
    var contents: [UInt8] { algorithm.der + DERTag.bitString.element([0] + DERTag.octetString.element(key.bytes)) }
}
