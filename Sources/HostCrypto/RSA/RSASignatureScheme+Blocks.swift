// SPDX-License-Identifier: Apache-2.0
import GOST
package import Secrets

/// Padding alone, for keys that another device computes with (RFC 8017, 9).
extension RSASignatureScheme {
    /// The bytes that become a signature by the private operation of a key whose modulus has `bitCount` bits.
    ///
    /// - Returns: As many bytes as the modulus.
    /// - Throws: ``HostCryptoError/invalidLength``; ``HostCryptoError/keyTooShort``;
    ///   ``HostCryptoError/invalidParameter``; ``HostCryptoError/randomUnavailable``; ``HostCryptoError/libraryFailure``.
    package func block(
        of input: Span<UInt8>, bitCount: Int, random: any RandomSource
    ) throws(HostCryptoError) -> [UInt8] {
        guard inputSizes(bitCount: bitCount).contains(input.count) else { throw .invalidLength }
        try check(bitCount: bitCount)
        let (input, size) = ([UInt8](copying: input), (bitCount + 7) / 8)
        switch self {
        case .raw: return [UInt8](repeating: 0, count: size - input.count) + input
        case .pkcs1: return Self.padded(input, size)
        case .pkcs1DigestInfo(let hash):
            return Self.padded(
                DERTag.sequence.element(hash.identifier + DERTag.octetString.element(input)), size)
        case .pss(let hash, let mask, let saltLength):
            guard let salt = try? random.bytes(saltLength) else { throw .randomUnavailable }
            let encoded = try Self.encoded(input, salt, bitCount: bitCount - 1, hash, mask)
            return [UInt8](repeating: 0, count: size - encoded.count) + encoded
        }
    }

    /// EMSA-PKCS1-v1_5 (RFC 8017, 9.2).
    private static func padded(_ input: [UInt8], _ size: Int) -> [UInt8] {
        [0, 1] + [UInt8](repeating: 0xFF, count: size - input.count - 3) + [0] + input
    }

    /// EMSA-PSS (RFC 8017, 9.1.1).
    private static func encoded(
        _ digest: [UInt8], _ salt: [UInt8], bitCount: Int, _ hash: DigestAlgorithm, _ mask: DigestAlgorithm
    ) throws(HostCryptoError) -> [UInt8] {
        let message = [UInt8](repeating: 0, count: 8) + digest + salt
        let h = try Digest.digest(message.span, hash)
        let size = (bitCount + 7) / 8
        var block = [UInt8](repeating: 0, count: size - salt.count - h.count - 2) + [1] + salt
        let mask = try MGF1.mask(of: h, count: block.count, mask)
        for index in block.indices { block[index] ^= mask[index] }
        block[0] &= 0xFF >> UInt8(8 * size - bitCount)
        return block + h + [0xBC]
    }
}

/// The mask generation function MGF1 (RFC 8017, B.2.1).
private enum MGF1 {
    static func mask(of seed: [UInt8], count: Int, _ hash: DigestAlgorithm) throws(HostCryptoError) -> [UInt8] {
        var mask: [UInt8] = []
        var counter: UInt32 = 0
        while mask.count < count {
            let message = seed + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: counter >> $0) }
            mask += try Digest.digest(message.span, hash)
            counter += 1
        }
        return Array(mask.prefix(count))
    }
}
