// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// The counter mode of GOST R 34.13-2015, 5.2, for a message that comes in pieces.
///
/// The standard lets s bytes of each block of gamma be used; here s is the whole block, as in every protocol.
package struct CTR<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    private var gamma: Gamma<Cipher>

    /// Begins a message with a key of 32 bytes and an initialisation vector of half a block, the counter's upper half.
    /// Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength`` or ``GOSTError/invalidIVLength``.
    package init(key: Span<UInt8>, iv: Span<UInt8>) throws(GOSTError) {
        guard iv.count == Cipher.blockSize / 2 else { throw .invalidIVLength }
        gamma = Gamma(try Cipher(key: key), counter: iv)
    }

    /// Enciphers or deciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func update(_ data: Span<UInt8>) -> Secret {
        var result = Secret(copying: data)
        var bytes = result.mutableBytes
        gamma.add(to: &bytes)
        return result
    }
}
