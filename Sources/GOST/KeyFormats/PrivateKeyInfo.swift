// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// A private key as PKCS #8 has it (RFC 5208, 5; RFC 5958, 2).
package struct PrivateKeyInfo: ~Copyable, Sendable {
    package let algorithm: AlgorithmIdentifier
    package let key: PrivateKey

    /// - Throws: ``GOSTError/invalidParameter`` if the algorithm does not allow the key's curve.
    package init(algorithm: PublicKeyAlgorithm, key: consuming PrivateKey) throws(GOSTError) {
        self.algorithm = try AlgorithmIdentifier(algorithm: algorithm, curve: key.curve)
        self.key = key
    }

    /// Reads a private key: the number d, little-endian, bare, masked, or once more in an OCTET STRING; as an INTEGER,
    /// big-endian, as OpenSSL's gost engine up to 1.0 and BouncyCastle write it; or as ECPrivateKey with the public key,
    /// as Botan writes it. Attributes and the public key of version 2
    /// are ignored.
    ///
    /// A masked number K_M is followed by its masks M_1, M_2, …, of the same length, and d is K_M·M_1·M_2·… mod q.
    ///
    /// - Parameter der: The whole of the structure in DER, and nothing behind it.
    /// - Throws: ``GOSTError/invalidEncoding``; ``GOSTError/invalidParameter`` for an algorithm, a curve or a hash
    ///   function that is not known or does not go with the others; ``GOSTError/invalidScalar`` as
    ///   `PrivateKey.init(curve:scalar:)` does; ``GOSTError/invalidPoint`` for an ECPrivateKey whose public key is missing
    ///   or another key's.
    ///
    /// Constant time in its secret inputs: the key; the rest of `der` shows.
    package init(der: Span<UInt8>) throws(GOSTError) {
        var reader = DERReader(der)
        var info = DERReader(try reader.contents(.sequence))
        try reader.end()
        let version = try info.contents(.integer)
        guard version.count == 1, version[0] <= 1 else { throw .invalidEncoding }
        let algorithm = try AlgorithmIdentifier(&info, isOfPrivateKey: true)
        let bytes = try info.contents(.octetString)
        if info.isAt(.context0) { _ = try info.contents(.context0) }
        if version[0] == 1, info.isAt(.issuerUniqueID) { _ = try info.contents(.issuerUniqueID) }
        try info.end()

        let scalar = try clearingTraces { () throws(GOSTError) in try Self.scalar(bytes, on: algorithm.curve) }
        key = try PrivateKey(curve: algorithm.curve, scalar: scalar)
        self.algorithm = algorithm
    }

    /// The bytes of d. Their number distinguishes the forms.
    private static func scalar(_ bytes: Span<UInt8>, on curve: Curve) throws(GOSTError) -> Secret {
        let (count, rest) = bytes.count.quotientAndRemainder(dividingBy: curve.coordinateSize)
        if count == 1, rest == 0 { return Secret(copying: bytes) }
        if count > 1, rest == 0 { return try unmasked(bytes, on: curve) }
        var reader = DERReader(bytes)
        if reader.isAt(.sequence) { return try ECPrivateKey.scalar(bytes, on: curve) }
        let isNumber = reader.isAt(.integer)
        let scalar = try reader.contents(isNumber ? .integer : .octetString)
        try reader.end()
        return isNumber ? try littleEndian(scalar, count: curve.coordinateSize) : Secret(copying: scalar)
    }

    /// The number of an INTEGER in so many bytes.
    private static func littleEndian(_ number: Span<UInt8>, count: Int) throws(GOSTError) -> Secret {
        guard !number.isEmpty, number[0] < 0x80 else { throw .invalidEncoding }
        let sign = number.count > 1 && number[0] == 0 ? 1 : 0
        guard number.count - sign <= count else { throw .invalidScalar }
        var scalar = Secret(count: count)
        var bytes = scalar.mutableBytes
        for index in 0..<(number.count - sign) { bytes[index] = number[number.count - 1 - index] }
        return scalar
    }

    private static func unmasked(_ bytes: Span<UInt8>, on curve: Curve) throws(GOSTError) -> Secret {
        var product = Secret(count: curve.coordinateSize)
        var result = product.mutableBytes
        let areNumbers = unsafe try curve.withDomain { domain in
            unsafe bytes.withUnsafeBufferPointer { factors in
                unsafe result.withUnsafeMutableBufferPointer {
                    unsafe gost_unmask(
                        domain, factors.baseAddress, factors.count / curve.coordinateSize, $0.baseAddress)
                }
            }
        }
        guard areNumbers else { throw .invalidScalar }
        return product
    }

    /// The structure in DER, with the bare number d.
    ///
    /// Constant time in its secret inputs.
    package func der() -> Secret {
        let scalar = key.scalar.bytes
        let head = [DERTag.integer.rawValue, 1, 0] + algorithm.der + DERTag.octetString.header(count: scalar.count)
        let header = DERTag.sequence.header(count: head.count + scalar.count)
        return Secret(copying: header + head).appending(scalar)
    }
}
