// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// The output feedback mode of GOST R 34.13-2015, 5.3, for a message that comes in pieces. The gamma of a block is used
/// whole (s = n).
package struct OFB<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    private var register: FeedbackRegister<Cipher>

    /// Begins a message with a key of 32 bytes and an initialisation vector of one or more whole blocks. Constant time
    /// in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength`` or ``GOSTError/invalidIVLength``.
    package init(key: Span<UInt8>, iv: Span<UInt8>) throws(GOSTError) {
        register = try FeedbackRegister(key: key, iv: iv)
    }

    /// Enciphers or deciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func update(_ data: Span<UInt8>) -> Secret { register.apply(data, .gamma) }
}
