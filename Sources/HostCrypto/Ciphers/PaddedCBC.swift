// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import GOST
import Secrets

/// A block cipher of libcrypto in CBC (NIST SP 800-38A) on a text as a whole, padded to whole blocks (RFC 5652, 6.3).
///
/// libcrypto has the key during a call only: its memory is in core dumps and in forked children.
enum PaddedCBC: Sendable {
    /// AES with a key of 16, 24 or 32 bytes.
    case aes
    /// Triple DES with a key of 24 bytes (NIST SP 800-67).
    case tripleDES

    private var blockSize: Int { self == .aes ? 16 : 8 }

    private func name(keySize: Int) -> String? {
        switch self {
        case .aes: [16, 24, 32].contains(keySize) ? "AES-\(8 * keySize)-CBC" : nil
        case .tripleDES: keySize == 24 ? "DES-EDE3-CBC" : nil
        }
    }

    /// Encrypts or decrypts a text.
    ///
    /// - Warning: Leaks through timing whether the padding is well formed, as the error does.
    /// - Throws: ``HostCryptoError/invalidKey``; ``HostCryptoError/invalidParameter`` for an IV of another length than a
    ///   block; ``HostCryptoError/invalidLength`` for a ciphertext that is not whole blocks, or none;
    ///   ``HostCryptoError/decryptionFailed`` for one without padding.
    func apply(
        _ data: Span<UInt8>, key: Span<UInt8>, iv: [UInt8], isEncryption: Bool
    ) throws(HostCryptoError) -> Secret {
        guard let name = name(keySize: key.count) else { throw .invalidKey }
        guard iv.count == blockSize else { throw .invalidParameter }
        let isWhole = data.count % blockSize == 0 && !data.isEmpty
        guard isEncryption || isWhole, let count = Int32(exactly: data.count) else { throw .invalidLength }
        let key = Secret(copying: key)
        let context = try Self.context(name, key: key, iv: iv, isEncryption: isEncryption, isPadded: true)
        var result = Secret(count: data.count + blockSize)
        var written: Int32 = 0
        var rest: Int32 = 0
        var bytes = result.mutableBytes
        try quietly { () throws(HostCryptoError) in
            let isDone = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
                unsafe data.withUnsafeBufferPointer { data in
                    let place = bytes.baseAddress
                    return unsafe EVP_CipherUpdate(context.pointer, place, &written, data.baseAddress, count)
                        == 1
                        && EVP_CipherFinal_ex(context.pointer, place?.advanced(by: Int(written)), &rest) == 1
                }
            }
            guard isDone else { throw .decryptionFailed }
        }
        return result.extracting(0..<Int(written) + Int(rest))
    }

    /// A cipher at work (`EVP_CIPHER_CTX`), ready for its first block.
    ///
    /// - Parameters:
    ///   - key: As long as the cipher's.
    ///   - iv: As long as the cipher's, or longer.
    static func context(
        _ name: String, key: borrowing Secret, iv: [UInt8], isEncryption: Bool, isPadded: Bool
    ) throws(HostCryptoError) -> Handle {
        guard let library = unsafe LibraryContext.context else { throw .libraryFailure }
        let context = try unsafe Handle(EVP_CIPHER_CTX_new(), free: EVP_CIPHER_CTX_free)
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        let cipher = try unsafe Handle(EVP_CIPHER_fetch(library, name, nil), free: EVP_CIPHER_free)
        let direction: Int32 = isEncryption ? 1 : 0
        let bytes = key.bytes
        try unsafe check(
            bytes.withUnsafeBufferPointer { key in
                unsafe EVP_CipherInit_ex2(context.pointer, cipher.pointer, key.baseAddress, iv, direction, nil)
            })
        try unsafe check(EVP_CIPHER_CTX_set_padding(context.pointer, isPadded ? 1 : 0))
        return context
    }
}
