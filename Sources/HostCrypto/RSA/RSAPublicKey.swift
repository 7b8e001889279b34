// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Secrets

/// A public key of RSA.
package struct RSAPublicKey: Sendable {
    /// The number n, most significant byte first, without leading zeros.
    package let modulus: [UInt8]
    /// The number e, most significant byte first, without leading zeros.
    package let publicExponent: [UInt8]
    let key: Key

    /// The overhead of RSASSA- and RSAES-PKCS1-v1_5 in bytes.
    static let pkcs1Overhead = 11

    /// Reads and checks a key. Leading zeros of its numbers are ignored.
    ///
    /// - Parameters:
    ///   - modulus: n, most significant byte first: odd, of 512 to 4096 bits.
    ///   - publicExponent: e, most significant byte first: odd, at least 3 and less than n, and of at most 64 bits if n
    ///     has more than 3072, which is as much as libcrypto computes with.
    /// - Throws: ``HostCryptoError/unsupportedKeySize``; ``HostCryptoError/invalidKey``.
    package init(modulus: [UInt8], publicExponent: [UInt8]) throws(HostCryptoError) {
        let n = Array(modulus.drop { $0 == 0 })
        let e = Array(publicExponent.drop { $0 == 0 })
        guard Self.sizes.contains(n.bitCount) else { throw .unsupportedKeySize }
        let isExponent = (n.bitCount <= 3072 || e.bitCount <= 64) && e.isOdd && e != [1] && e.isBelow(n)
        guard n.isOdd, isExponent else { throw .invalidKey }
        let parameters = try Self.parameters(modulus: n, publicExponent: e)
        key = try quietly { () throws(HostCryptoError) in
            try Key(.rsa, .publicKey, from: parameters, else: .invalidKey)
        }
        self.modulus = n
        self.publicExponent = e
    }

    /// The lengths of a modulus in bits.
    package static let sizes = 512...4096

    /// The length of the modulus in bits.
    package var bitCount: Int { modulus.bitCount }

    /// The length of the modulus, and with it of every signature and ciphertext, in bytes.
    package var size: Int { modulus.count }

    static func parameters(modulus: [UInt8], publicExponent: [UInt8]) throws(HostCryptoError) -> Parameters {
        var parameters = try Parameters()
        try parameters.add("n", number: BigNumber(modulus.span))
        try parameters.add("e", number: BigNumber(publicExponent.span))
        return parameters
    }

    /// A number below the modulus, in as many bytes.
    ///
    /// - Throws: ``HostCryptoError/invalidLength``; ``HostCryptoError/valueOutOfRange``.
    func block(_ input: Span<UInt8>) throws(HostCryptoError) -> [UInt8] {
        guard input.count <= size else { throw .invalidLength }
        let block = [UInt8](repeating: 0, count: size - input.count) + [UInt8](copying: input)
        guard block.isBelow(modulus) else { throw .valueOutOfRange }
        return block
    }
}

extension RSAPublicKey: Equatable {
    package static func == (left: RSAPublicKey, right: RSAPublicKey) -> Bool {
        left.modulus == right.modulus && left.publicExponent == right.publicExponent
    }
}

/// Public numbers, most significant byte first.
extension [UInt8] {
    /// The number of bits, without leading zeros.
    fileprivate var bitCount: Int { 8 * count - (first?.leadingZeroBitCount ?? 0) }

    fileprivate var isOdd: Bool { (last ?? 0) & 1 == 1 }

    /// Whether the number is less than `other`, neither having leading zeros but to be as long as the other.
    func isBelow(_ other: [UInt8]) -> Bool {
        count == other.count ? lexicographicallyPrecedes(other) : count < other.count
    }
}

extension RSAPublicKey {
    /// Verifies a signature.
    ///
    /// - Parameters:
    ///   - signature: As many bytes as the modulus.
    ///   - input: The signed input: the digest, unless the scheme is ``RSASignatureScheme/raw`` or
    ///     ``RSASignatureScheme/pkcs1``.
    /// - Throws: ``HostCryptoError/invalidSignatureLength``; of the input ``HostCryptoError/invalidLength`` and
    ///   ``HostCryptoError/valueOutOfRange``; of the scheme ``HostCryptoError/keyTooShort`` and
    ///   ``HostCryptoError/invalidParameter``; ``HostCryptoError/libraryFailure``.
    package func isValidSignature(
        _ signature: Span<UInt8>, of input: Span<UInt8>, _ scheme: RSASignatureScheme
    ) throws(HostCryptoError) -> Bool {
        guard signature.count == size else { throw .invalidSignatureLength }
        let input = try scheme.checked(input, for: self)
        // libcrypto rejects an empty input as wrong.
        if [.raw, .pkcs1].contains(scheme) { return (try? recover(signature, scheme)) == input }

        let signature = [UInt8](copying: signature)
        return try quietly { () throws(HostCryptoError) in
            let context = try KeyContext(key)
            try unsafe scheme.parameters().lend { values throws(HostCryptoError) in
                try unsafe check(EVP_PKEY_verify_init_ex(context.pointer, values))
            }
            return unsafe EVP_PKEY_verify(context.pointer, signature, signature.count, input, input.count) == 1
        }
    }

    /// Recovers the input of a signature.
    ///
    /// - Parameters:
    ///   - signature: As many bytes as the modulus.
    ///   - scheme: ``RSASignatureScheme/raw``, which returns as many bytes as the modulus, ``RSASignatureScheme/pkcs1``
    ///     or ``RSASignatureScheme/pkcs1DigestInfo(_:)``, which returns the digest.
    /// - Throws: ``HostCryptoError/invalidSignatureLength``; ``HostCryptoError/invalidSignature``;
    ///   ``HostCryptoError/invalidParameter`` for PSS; ``HostCryptoError/libraryFailure``.
    package func recover(
        _ signature: Span<UInt8>, _ scheme: RSASignatureScheme
    ) throws(HostCryptoError) -> [UInt8] {
        guard signature.count == size else { throw .invalidSignatureLength }
        switch scheme {
        case .pss: throw .invalidParameter
        case .pkcs1: return try Self.unpadded(recover(signature, .raw))
        case .raw, .pkcs1DigestInfo: break
        }

        let signature = [UInt8](copying: signature)
        return try quietly { () throws(HostCryptoError) in
            let context = try KeyContext(key)
            try unsafe scheme.parameters().lend { values throws(HostCryptoError) in
                try unsafe check(EVP_PKEY_verify_recover_init_ex(context.pointer, values))
            }
            var count = size
            var input = [UInt8](repeating: 0, count: size)
            try unsafe check(
                EVP_PKEY_verify_recover(context.pointer, &input, &count, signature, signature.count),
                else: .invalidSignature)
            return Array(input.prefix(count))
        }
    }

    /// The input of a block that EMSA-PKCS1-v1_5 has padded: 0 ‖ 1 ‖ 8 bytes FF at least ‖ 0 ‖ input (RFC 8017, 9.2).
    private static func unpadded(_ block: [UInt8]) throws(HostCryptoError) -> [UInt8] {
        let rest = block.dropFirst(2).drop { $0 == 0xFF }
        guard block.starts(with: [0, 1]), rest.first == 0, block.count - rest.count >= 10 else {
            throw .invalidSignature
        }
        return Array(rest.dropFirst())
    }

    /// Encrypts a plaintext.
    ///
    /// - Returns: As many bytes as the modulus.
    /// - Throws: ``HostCryptoError/invalidLength``; ``HostCryptoError/valueOutOfRange``;
    ///   ``HostCryptoError/keyTooShort``; ``HostCryptoError/invalidParameter`` for a hash function of GOST;
    ///   ``HostCryptoError/libraryFailure``.
    package func encrypt(
        _ plaintext: Span<UInt8>, _ scheme: RSAEncryptionScheme
    ) throws(HostCryptoError) -> [UInt8] {
        guard try plaintext.count <= scheme.capacity(of: size) else { throw .invalidLength }
        var padded = Secret(copying: plaintext)
        if scheme == .raw {
            padded = Secret(count: size - plaintext.count).appending(plaintext)
            guard padded.isBelow(modulus) else { throw .valueOutOfRange }
        }
        return try encrypt(padded, scheme)
    }

    private func encrypt(
        _ plaintext: borrowing Secret, _ scheme: RSAEncryptionScheme
    ) throws(HostCryptoError) -> [UInt8] {
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        let context = try KeyContext(key)
        try unsafe scheme.parameters().lend { values throws(HostCryptoError) in
            try unsafe check(EVP_PKEY_encrypt_init_ex(context.pointer, values))
        }
        var count = size
        var ciphertext = [UInt8](repeating: 0, count: size)
        let result = unsafe plaintext.bytes.withUnsafeBufferPointer { plaintext in
            unsafe EVP_PKEY_encrypt(context.pointer, &ciphertext, &count, plaintext.baseAddress, plaintext.count)
        }
        try check(result)
        return ciphertext
    }
}

extension Secret {
    /// Whether the number, most significant byte first, is less than another one of as many bytes, which is public.
    /// Constant time but for the answer.
    borrowing func isBelow(_ other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        var borrow = 0
        for index in bytes.indices.reversed() {
            borrow = (Int(bytes[index]) - Int(other[index]) - borrow) >> 8 & 1
        }
        return borrow == 1
    }
}
