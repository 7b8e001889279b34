// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// The counter mode with ACPKM re-keying (CTR-ACPKM; RFC 8645, 6.2.2; R 1323565.1.017-2018), for a message that comes
/// in pieces.
package struct CTRACPKM<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    private var gamma: Gamma<Cipher>

    /// Begins a message with a key of 32 bytes and an initialisation vector of half a block. Constant time in its
    /// secret inputs.
    ///
    /// - Parameter section: The bytes after which the key changes (N), whole blocks.
    /// - Throws: ``GOSTError/invalidKeyLength``, ``GOSTError/invalidIVLength``, or ``GOSTError/invalidParameter`` for
    ///   the section.
    package init(key: Span<UInt8>, iv: Span<UInt8>, section: Int) throws(GOSTError) {
        guard iv.count == Cipher.blockSize / 2 else { throw .invalidIVLength }
        guard section > 0, section % Cipher.blockSize == 0 else { throw .invalidParameter }
        gamma = Gamma(try Cipher(key: key), counter: iv, section: section)
    }

    /// Enciphers or deciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func update(_ data: Span<UInt8>) -> Secret {
        var result = Secret(copying: data)
        var bytes = result.mutableBytes
        gamma.add(to: &bytes)
        return result
    }

    /// Enciphers or deciphers the next bytes of the message in their place. Constant time in its secret inputs.
    package mutating func apply(to data: inout MutableSpan<UInt8>) { gamma.add(to: &data) }
}
