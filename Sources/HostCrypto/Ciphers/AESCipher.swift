// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import GOST
package import Secrets

/// AES (FIPS 197) at work in one direction, in ECB or CBC (NIST SP 800-38A), on whole blocks, or in CBC on a padded text.
///
/// Constant time in its secret inputs where the processor has instructions for AES.
///
/// libcrypto has the key during a call only: its memory is in core dumps and in forked children.
package final class AESCipher {
    package static let blockSize = 16
    private let key: Secret
    /// The block that CBC goes on with; nil for ECB.
    private var chain: [UInt8]?
    private let isEncryption: Bool

    /// - Parameters:
    ///   - key: 16, 24 or 32 bytes.
    ///   - iv: The initialisation vector of CBC, one block; nil for ECB.
    /// - Throws: ``HostCryptoError/invalidKey``; ``HostCryptoError/invalidParameter`` for an IV of another length.
    package init(key: Span<UInt8>, iv: [UInt8]?, isEncryption: Bool) throws(HostCryptoError) {
        guard [16, 24, 32].contains(key.count) else { throw .invalidKey }
        guard iv.map({ $0.count == Self.blockSize }) ?? true else { throw .invalidParameter }
        self.key = Secret(copying: key)
        chain = iv
        self.isEncryption = isEncryption
    }

    /// The cipher in libcrypto, ready for the next block.
    private func context() throws(HostCryptoError) -> Handle {
        let name = "AES-\(8 * key.count)-\(chain == nil ? "ECB" : "CBC")"
        let block = chain ?? [UInt8](repeating: 0, count: Self.blockSize)
        return try PaddedCBC.context(name, key: key, iv: block, isEncryption: isEncryption, isPadded: false)
    }

    /// Encrypts or decrypts further blocks.
    ///
    /// - Throws: ``HostCryptoError/invalidLength`` unless it is whole blocks.
    package func process(_ data: Span<UInt8>) throws(HostCryptoError) -> Secret {
        guard data.count % Self.blockSize == 0, let count = Int32(exactly: data.count) else { throw .invalidLength }
        guard count > 0 else { return Secret(count: 0) }
        let context = try context()
        var result = Secret(count: data.count)
        var written: Int32 = 0
        var bytes = result.mutableBytes
        try unsafe check(
            bytes.withUnsafeMutableBufferPointer { bytes in
                unsafe data.withUnsafeBufferPointer { data in
                    unsafe EVP_CipherUpdate(context.pointer, bytes.baseAddress, &written, data.baseAddress, count)
                }
            })
        guard written == count else { throw .libraryFailure }
        guard chain != nil else { return result }
        if isEncryption {
            chain = [UInt8](copying: result.bytes.extracting(last: Self.blockSize))
        } else {
            chain = [UInt8](copying: data.extracting(last: Self.blockSize))
        }
        return result
    }

    /// Encrypts or decrypts a text as a whole in CBC, padded to whole blocks (RFC 5652, 6.3).
    ///
    /// - Warning: Leaks through timing whether the padding is well formed, as the error does.
    /// - Throws: ``HostCryptoError/invalidLength`` for a ciphertext that is not whole blocks, or none;
    ///   ``HostCryptoError/decryptionFailed`` for one without padding.
    package static func padded(
        _ data: Span<UInt8>, key: Span<UInt8>, iv: [UInt8], isEncryption: Bool
    ) throws(HostCryptoError) -> Secret {
        try PaddedCBC.aes.apply(data, key: key, iv: iv, isEncryption: isEncryption)
    }
}
