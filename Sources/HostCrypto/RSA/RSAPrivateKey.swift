// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import GOST
package import Secrets

/// A private key of RSA with two prime factors.
package struct RSAPrivateKey: ~Copyable, Sendable {
    package let publicKey: RSAPublicKey
    private let numbers: RSAComponents

    /// Reads a private key, and computes with it once to see that it works. If its factors are missing, and there are two,
    /// they are found.
    ///
    /// - Throws: ``HostCryptoError/unsupportedKeySize``; ``HostCryptoError/invalidKey``;
    ///   ``HostCryptoError/libraryFailure``.
    package init(_ components: borrowing RSAComponents) throws(HostCryptoError) {
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        let publicKey = try RSAPublicKey(
            modulus: components.modulus, publicExponent: components.publicExponent)
        var numbers = components.copy()
        let d = try publicKey.number(components.privateExponent)
        switch components.factors {
        case .some(let factors):
            let given = try FactorNumbers(factors, of: publicKey)
            guard try given.belong(to: publicKey, d) else { throw .invalidKey }
        case .none:
            // Only the exponent of a key that works leads to the factors.
            let short = RSAPrivateKey(publicKey, components.copy())
            try short.proveItself()
            if let found = try FactorNumbers(of: publicKey, d) { numbers.factors = try found.factors() }
        }
        let candidate = RSAPrivateKey(publicKey, numbers)
        try candidate.proveItself()
        self = candidate
    }

    private init(_ publicKey: RSAPublicKey, _ numbers: consuming RSAComponents) {
        self.publicKey = publicKey
        self.numbers = numbers
    }

    /// The key in libcrypto, for one operation: between operations libcrypto keeps nothing of it in its memory, which
    /// is in core dumps and in forked children.
    func key() throws(HostCryptoError) -> Key {
        var parameters = try RSAPublicKey.parameters(
            modulus: publicKey.modulus, publicExponent: publicKey.publicExponent)
        try parameters.add("d", number: publicKey.number(numbers.privateExponent))
        switch numbers.factors {
        case .none: break
        case .some(let factors):
            let numbers = try FactorNumbers(factors, of: publicKey)
            try numbers.add(to: &parameters)
        }
        return try Key(.rsa, .keyPair, from: parameters, else: .invalidKey)
    }

    /// Makes a new key.
    ///
    /// - Parameters:
    ///   - bitCount: The length of the modulus in bits, 512…4096.
    ///   - publicExponent: e, most significant byte first: odd, 3 at least, of at most 64 bits.
    /// - Throws: ``HostCryptoError/unsupportedKeySize``; ``HostCryptoError/invalidParameter`` for the exponent;
    ///   ``HostCryptoError/libraryFailure``.
    package init(generating bitCount: Int, publicExponent: [UInt8] = [1, 0, 1]) throws(HostCryptoError) {
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        guard RSAPublicKey.sizes.contains(bitCount) else { throw .unsupportedKeySize }
        let e = Array(publicExponent.drop { $0 == 0 })
        guard let last = e.last, last & 1 == 1, e != [1], e.count <= 8 else { throw .invalidParameter }
        var parameters = try Parameters()
        try parameters.add("bits", integer: bitCount)
        try parameters.add("e", number: BigNumber(e.span))

        let key = try Key(generating: .rsa, parameters)
        let modulus = try key.number("n")
        let publicKey = try RSAPublicKey(modulus: [UInt8](copying: modulus), publicExponent: e)
        let d = try key.number("d")
        let factors = try Self.factors(of: key)
        let numbers = RSAComponents(
            modulus: publicKey.modulus, publicExponent: e, privateExponent: d, factors: factors)
        self.init(publicKey, numbers)
    }

    /// The numbers of the key. A key with more than two factors, read without them, lacks them.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func components() throws(HostCryptoError) -> RSAComponents { numbers.copy() }

    private static func factors(of key: Key) throws(HostCryptoError) -> RSAFactors {
        let p = try key.number("rsa-factor1")
        let q = try key.number("rsa-factor2")
        let exponent1 = try key.number("rsa-exponent1")
        let exponent2 = try key.number("rsa-exponent2")
        let coefficient = try key.number("rsa-coefficient1")
        return RSAFactors(prime1: p, prime2: q, exponent1: exponent1, exponent2: exponent2, coefficient: coefficient)
    }

    /// Signs a random number: whether d belongs to n and e.
    ///
    /// - Throws: ``HostCryptoError/invalidKey``; ``HostCryptoError/randomUnavailable``.
    private func proveItself() throws(HostCryptoError) {
        guard let number = try? SystemRandom().bytes(publicKey.size - 1) else { throw .randomUnavailable }
        guard let signature = try? sign(number.span, .raw) else { throw .invalidKey }
        guard try publicKey.isValidSignature(signature.span, of: number.span, .raw) else { throw .invalidKey }
    }
}

extension RSAPublicKey {
    /// A number of the private key, none of which has more bytes than the modulus but for leading zeros.
    ///
    /// - Throws: ``HostCryptoError/invalidKey`` for zero and for a longer one.
    func number(_ bytes: borrowing Secret) throws(HostCryptoError) -> BigNumber {
        let number = try BigNumber(bytes.bytes)
        let bits = unsafe BN_num_bits(number.pointer)
        guard bits > 0, bits <= bitCount else { throw .invalidKey }
        return number
    }
}

extension RSAPrivateKey {
    /// Signs.
    ///
    /// - Parameter input: The digest, unless the scheme is ``RSASignatureScheme/raw`` or ``RSASignatureScheme/pkcs1``.
    /// - Returns: As many bytes as the modulus.
    /// - Throws: Of the input ``HostCryptoError/invalidLength`` and ``HostCryptoError/valueOutOfRange``; of the scheme
    ///   ``HostCryptoError/keyTooShort`` and ``HostCryptoError/invalidParameter``; ``HostCryptoError/libraryFailure``.
    ///
    /// Constant time in its secret inputs, the key: libcrypto blinds the number.
    package func sign(_ input: Span<UInt8>, _ scheme: RSASignatureScheme) throws(HostCryptoError) -> [UInt8] {
        let input = try scheme.checked(input, for: publicKey)
        let size = publicKey.size
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        let key = try key()
        let context = try KeyContext(key)
        try unsafe scheme.parameters().lend { values throws(HostCryptoError) in
            try unsafe check(EVP_PKEY_sign_init_ex(context.pointer, values))
        }
        var count = size
        var signature = [UInt8](repeating: 0, count: size)
        try unsafe check(EVP_PKEY_sign(context.pointer, &signature, &count, input, input.count))
        return signature
    }

    /// Decrypts a ciphertext.
    ///
    /// - Returns: The plaintext; with ``RSAEncryptionScheme/raw`` as many bytes as the modulus.
    /// - Throws: ``HostCryptoError/invalidLength`` unless the ciphertext is as long as the modulus;
    ///   ``HostCryptoError/decryptionFailed``; ``HostCryptoError/keyTooShort``; ``HostCryptoError/invalidParameter``
    ///   for a hash function of GOST; ``HostCryptoError/libraryFailure``.
    /// - Warning: With ``RSAEncryptionScheme/pkcs1``, the padding is checked in constant time but for the answer. The
    ///   answer suffices to decrypt other ciphertexts for an attacker who can submit chosen ones (Bleichenbacher,
    ///   1998). PKCS #11 requires the answer; a program that decrypts for strangers must not pass it on.
    package func decrypt(_ ciphertext: Span<UInt8>, _ scheme: RSAEncryptionScheme) throws(HostCryptoError) -> Secret {
        guard ciphertext.count == publicKey.size else { throw .invalidLength }
        _ = try scheme.capacity(of: publicKey.size)
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        let ciphertext = [UInt8](copying: ciphertext)
        let key = try key()
        let context = try KeyContext(key)
        try unsafe scheme.parameters().lend { values throws(HostCryptoError) in
            try unsafe check(EVP_PKEY_decrypt_init_ex(context.pointer, values))
        }
        var count = publicKey.size
        var plaintext = Secret(count: count)
        var span = plaintext.mutableBytes
        let result = unsafe span.withUnsafeMutableBufferPointer { plaintext in
            unsafe EVP_PKEY_decrypt(
                context.pointer, plaintext.baseAddress, &count, ciphertext, ciphertext.count)
        }
        try check(result, else: .decryptionFailed)
        return plaintext.extracting(0..<count)
    }
}
