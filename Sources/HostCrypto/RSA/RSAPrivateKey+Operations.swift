// SPDX-License-Identifier: Apache-2.0
import COpenSSL
package import Secrets

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
