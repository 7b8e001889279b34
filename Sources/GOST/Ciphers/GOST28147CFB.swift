// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// GOST 28147-89 in the cipher feedback mode (RFC 5830, 7), for a message that comes in pieces and is either enciphered
/// or deciphered.
package struct GOST28147CFB: ~Copyable, Sendable {
    private var message: SecretBox<gost_cipher>

    /// Begins a message with a key of 32 bytes and an initialisation vector of 8. Constant time in its secret inputs.
    ///
    /// - Parameter meshing: Whether the key changes after every 1024 bytes (CryptoPro Key Meshing, RFC 4357, 2.3.2).
    ///   The caller decides, as for ``GOST28147CNT``, because the S-box does not: TC26's own samples of CMS mesh with
    ///   id-tc26-gost-28147-param-Z.
    /// - Throws: ``GOSTError/invalidKeyLength`` or ``GOSTError/invalidIVLength``.
    package init(key: Span<UInt8>, iv: Span<UInt8>, sBox: SBox, meshing: Bool) throws(GOSTError) {
        message = try GOST28147(key: key, sBox: sBox).message(.cfb, iv: iv, meshing: meshing)
    }

    /// Enciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func encrypt(_ plaintext: Span<UInt8>) -> Secret { message.update(plaintext, enciphering: true) }

    /// Deciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func decrypt(_ ciphertext: Span<UInt8>) -> Secret {
        message.update(ciphertext, enciphering: false)
    }
}
