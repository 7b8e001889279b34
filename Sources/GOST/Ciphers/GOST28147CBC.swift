// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// GOST 28147-89 with linked blocks (CBC; RFC 4357, 2.1), for a message that comes in pieces of whole blocks and is
/// either enciphered or deciphered. Padding is the caller's.
package struct GOST28147CBC: ~Copyable, Sendable {
    private var message: SecretBox<gost_cipher>

    /// Begins a message with a key of 32 bytes and an initialisation vector of 8. Constant time in its secret inputs.
    ///
    /// - Parameter meshing: Whether the key changes after every 1024 bytes. By the letter of RFC 4357, 2.3.2, the last
    ///   block of ciphertext is then enciphered with the new key before the next is linked to it. Libraries differ: some
    ///   change the key alone, some do not mesh in this mode. It is best avoided.
    /// - Throws: ``GOSTError/invalidKeyLength`` or ``GOSTError/invalidIVLength``.
    package init(key: Span<UInt8>, iv: Span<UInt8>, sBox: SBox, meshing: Bool) throws(GOSTError) {
        message = try GOST28147(key: key, sBox: sBox).message(.cbc, iv: iv, meshing: meshing)
    }

    /// Enciphers the next blocks of the message. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `plaintext` does not end with a block.
    package mutating func encrypt(_ plaintext: Span<UInt8>) throws(GOSTError) -> Secret {
        guard plaintext.count % 8 == 0 else { throw .invalidLength }
        return message.update(plaintext, enciphering: true)
    }

    /// Deciphers the next blocks of the message. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `ciphertext` does not end with a block.
    package mutating func decrypt(_ ciphertext: Span<UInt8>) throws(GOSTError) -> Secret {
        guard ciphertext.count % 8 == 0 else { throw .invalidLength }
        return message.update(ciphertext, enciphering: false)
    }
}
