// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// GOST 28147-89 in the counter mode (CNT, the gamma mode; RFC 5830, 6), for a message that comes in pieces.
package struct GOST28147CNT: ~Copyable, Sendable {
    private var message: SecretBox<gost_cipher>

    /// Begins a message with a key of 32 bytes and an initialisation vector of 8.
    ///
    /// - Parameter meshing: Whether the key changes after every 1024 bytes (CryptoPro Key Meshing, RFC 4357, 2.3.2).
    ///   The standards tie this to the S-box's parameter set, but libraries differ, so that the caller decides.
    /// - Throws: ``GOSTError/invalidKeyLength`` or ``GOSTError/invalidIVLength``.
    package init(key: Span<UInt8>, iv: Span<UInt8>, sBox: SBox, meshing: Bool) throws(GOSTError) {
        message = try GOST28147(key: key, sBox: sBox).message(.cnt, iv: iv, meshing: meshing)
    }

    /// Enciphers or deciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func apply(_ data: Span<UInt8>) -> Secret { message.update(data) }
}
