// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import GOST
package import Secrets

/// How an RSA ciphertext is made of a plaintext.
package enum RSAEncryptionScheme: Sendable, Hashable {
    /// The number itself, with zeros in front of it up to the length of the modulus (`CKM_RSA_X_509`).
    case raw
    /// RSAES-PKCS1-v1_5 (RFC 8017, 7.2).
    case pkcs1
    /// RSAES-OAEP (RFC 8017, 7.1) with MGF1 over `mask`; the label is PKCS #11's source data.
    case oaep(hash: DigestAlgorithm, mask: DigestAlgorithm, label: [UInt8])

    private var padding: StaticString {
        switch self {
        case .raw: "none"
        case .pkcs1: "pkcs1"
        case .oaep: "oaep"
        }
    }

    /// - Throws: ``HostCryptoError/invalidParameter`` for a hash function that RSA is not used with here.
    func parameters() throws(HostCryptoError) -> Parameters {
        var parameters = try Parameters()
        try parameters.add("pad-mode", text: padding)
        // OpenSSL 3.2 and later would give a made-up plaintext in the place of one with wrong padding. Earlier ones do
        // not know this parameter.
        if self == .pkcs1 { try parameters.add("implicit-rejection", integer: 0) }
        if case .oaep(let hash, let mask, let label) = self {
            try parameters.add("digest", hash)
            try parameters.add("mgf1-digest", mask)
            if !label.isEmpty { try parameters.add("oaep-label", bytes: label) }
        }
        return parameters
    }

    /// The greatest number of bytes that a key of `size` bytes encrypts.
    ///
    /// - Throws: ``HostCryptoError/keyTooShort`` if not even an empty plaintext fits.
    package func capacity(of size: Int) throws(HostCryptoError) -> Int {
        let capacity =
            switch self {
            case .raw: size
            case .pkcs1: size - RSAPublicKey.pkcs1Overhead
            case .oaep(let hash, _, _): size - 2 * hash.size - 2
            }
        guard capacity >= 0 else { throw .keyTooShort }
        return capacity
    }
}

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
