// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// The cipher feedback mode of GOST R 34.13-2015, 5.5, for a message that comes in pieces and is either enciphered or
/// deciphered. A whole block is fed back (s = n).
package struct CFB<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    private var register: FeedbackRegister<Cipher>

    /// Begins a message with a key of 32 bytes and an initialisation vector of one or more whole blocks. Constant time
    /// in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength`` or ``GOSTError/invalidIVLength``.
    package init(key: Span<UInt8>, iv: Span<UInt8>) throws(GOSTError) {
        register = try FeedbackRegister(key: key, iv: iv)
    }

    /// Enciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func encrypt(_ plaintext: Span<UInt8>) -> Secret { register.apply(plaintext, .output) }

    /// Deciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func decrypt(_ ciphertext: Span<UInt8>) -> Secret { register.apply(ciphertext, .input) }
}
