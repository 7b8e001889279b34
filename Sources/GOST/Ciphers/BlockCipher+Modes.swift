// SPDX-License-Identifier: Apache-2.0
package import Secrets

extension BlockCipher where Self: ~Copyable {
    /// Enciphers whole blocks one by one (ECB; GOST R 34.13-2015, 5.1). Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `plaintext` does not end with a block.
    package func encryptECB(_ plaintext: Span<UInt8>) throws(GOSTError) -> Secret {
        guard plaintext.count % Self.blockSize == 0 else { throw .invalidLength }
        var result = Secret(copying: plaintext)
        encrypt(&result, 0..<result.count)
        return result
    }

    /// Deciphers whole blocks one by one (ECB; GOST R 34.13-2015, 5.1). Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `ciphertext` does not end with a block.
    package func decryptECB(_ ciphertext: Span<UInt8>) throws(GOSTError) -> Secret {
        guard ciphertext.count % Self.blockSize == 0 else { throw .invalidLength }
        var result = Secret(copying: ciphertext)
        var blocks = result.mutableBytes
        decrypt(&blocks)
        return result
    }

    /// Enciphers the blocks in a part of `octets` in place.
    func encrypt(_ octets: inout Secret, _ range: Range<Int>) {
        var bytes = octets.mutableBytes
        var blocks = bytes._mutatingExtracting(range)
        encrypt(&blocks)
    }
}
