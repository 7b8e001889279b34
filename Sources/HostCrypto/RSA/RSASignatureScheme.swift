// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import GOST
package import Secrets

/// The scheme by which an RSA signature is made of its input.
package enum RSASignatureScheme: Sendable, Hashable {
    /// The number itself, with zeros in front of it up to the length of the modulus (`CKM_RSA_X_509`).
    case raw
    /// RSASSA-PKCS1-v1_5 (RFC 8017, 8.2) of bytes that are a DigestInfo already, or any bytes of the application
    /// (`CKM_RSA_PKCS`).
    case pkcs1
    /// RSASSA-PKCS1-v1_5 of a digest by this algorithm, which is put into a DigestInfo.
    case pkcs1DigestInfo(DigestAlgorithm)
    /// RSASSA-PSS (RFC 8017, 8.1) of a digest by `hash`, with MGF1 over `mask`.
    case pss(hash: DigestAlgorithm, mask: DigestAlgorithm, saltLength: Int)

    var padding: StaticString {
        switch self {
        case .raw: "none"
        case .pkcs1, .pkcs1DigestInfo: "pkcs1"
        case .pss: "pss"
        }
    }

    /// - Throws: ``HostCryptoError/invalidParameter`` for a hash function that RSA is not used with here.
    func parameters() throws(HostCryptoError) -> Parameters {
        var parameters = try Parameters()
        try parameters.add("pad-mode", text: padding)
        switch self {
        case .raw, .pkcs1:
            break
        case .pkcs1DigestInfo(let hash):
            try parameters.add("digest", hash)
        case .pss(let hash, let mask, let saltLength):
            try parameters.add("digest", hash)
            try parameters.add("mgf1-digest", mask)
            try parameters.add("saltlen", integer: saltLength)
        }
        return parameters
    }

    /// The checked input for a key, in libcrypto's form.
    ///
    /// - Throws: ``HostCryptoError/invalidLength``, ``HostCryptoError/keyTooShort``,
    ///   ``HostCryptoError/valueOutOfRange``, ``HostCryptoError/invalidParameter``.
    func checked(_ input: Span<UInt8>, for key: RSAPublicKey) throws(HostCryptoError) -> [UInt8] {
        guard inputSizes(bitCount: key.bitCount).contains(input.count) else { throw .invalidLength }
        try check(bitCount: key.bitCount)
        return self == .raw ? try key.block(input) : [UInt8](copying: input)
    }

    /// Whether keys of this length can sign so.
    ///
    /// - Throws: ``HostCryptoError/keyTooShort``; ``HostCryptoError/invalidParameter`` for a negative salt length.
    package func check(bitCount: Int) throws(HostCryptoError) {
        switch self {
        case .raw, .pkcs1: break
        case .pkcs1DigestInfo(let hash):
            guard (bitCount + 7) / 8 >= hash.digestInfoSize + RSAPublicKey.pkcs1Overhead else { throw .keyTooShort }
        case .pss(let hash, _, let saltLength):
            guard saltLength >= 0 else { throw .invalidParameter }
            // RFC 8017, 9.1.1, step 3; the encoded message has one bit less than the modulus.
            guard saltLength <= (bitCount + 6) / 8 - hash.size - 2 else { throw .keyTooShort }
        }
    }

    /// The bytes that are signed: a digest, or as many as fit.
    package func inputSizes(bitCount: Int) -> ClosedRange<Int> {
        let size = (bitCount + 7) / 8
        switch self {
        case .raw: return 0...size
        case .pkcs1: return 0...max(size - RSAPublicKey.pkcs1Overhead, 0)
        case .pkcs1DigestInfo(let hash), .pss(let hash, _, _): return hash.size...hash.size
        }
    }
}

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
