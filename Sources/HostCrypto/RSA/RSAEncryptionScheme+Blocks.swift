// SPDX-License-Identifier: Apache-2.0
import COpenSSL
package import Secrets

/// Padding alone, for keys that another device computes with (RFC 8017, 7).
extension RSAEncryptionScheme {
    /// The plaintext in the block that the private operation has recovered from a ciphertext.
    ///
    /// - Parameter block: As many bytes as the modulus.
    /// - Throws: ``HostCryptoError/decryptionFailed``; ``HostCryptoError/keyTooShort``;
    ///   ``HostCryptoError/invalidParameter`` for a hash function of GOST.
    ///
    /// Constant time in its secret inputs, the block, but for the answer: see ``RSAPrivateKey/decrypt(_:_:)``.
    package func plaintext(of block: borrowing Secret) throws(HostCryptoError) -> Secret {
        if self == .raw { return block.copy() }
        _ = try capacity(of: block.count)
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        var plaintext = Secret(count: block.count)
        let size = Int32(clamping: block.count)
        var span = plaintext.mutableBytes
        let count = try unsafe block.bytes.withUnsafeBufferPointer { block throws(HostCryptoError) in
            try unsafe span.withUnsafeMutableBufferPointer { text throws(HostCryptoError) in
                guard case .oaep(let hash, let mask, let label) = self else {
                    return unsafe COpenSSL_unpad_pkcs1(text.baseAddress, size, block.baseAddress, size)
                }
                guard let hash = unsafe hash.implementation, let mask = unsafe mask.implementation else {
                    throw HostCryptoError.invalidParameter
                }
                return unsafe COpenSSL_unpad_oaep(
                    text.baseAddress, size, block.baseAddress, size, label, Int32(clamping: label.count), hash, mask)
            }
        }
        guard count >= 0 else { throw .decryptionFailed }
        return plaintext.extracting(0..<Int(count))
    }
}
