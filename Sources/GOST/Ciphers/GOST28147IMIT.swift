// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// The message authentication code of GOST 28147-89 (RFC 5830, 8), of a message that comes in pieces.
package struct GOST28147IMIT: ~Copyable, Sendable {
    private let tagLength: Int
    private var mac: SecretBox<gost_mac>

    /// Begins a message with a key of 32 bytes. Constant time in its secret inputs.
    ///
    /// - Parameters:
    ///   - iv: The initial state of the MAC: 8 bytes, or none for zeros, as in the standard.
    ///   - meshing: Whether the key changes after every 1024 bytes (CryptoPro Key Meshing, RFC 4357, 2.3.2). The state
    ///     of the MAC is not changed by it.
    ///   - tagLength: The bytes of the MAC, 4 or fewer by the standard; up to 8 are the whole state.
    /// - Throws: ``GOSTError/invalidKeyLength``, ``GOSTError/invalidIVLength``, or ``GOSTError/invalidLength`` for the
    ///   MAC's.
    package init(
        key: Span<UInt8>, iv: Span<UInt8> = Span(), sBox: SBox, meshing: Bool, tagLength: Int = 4
    ) throws(GOSTError) {
        guard iv.isEmpty || iv.count == 8 else { throw .invalidIVLength }
        guard (1...8).contains(tagLength) else { throw .invalidLength }
        mac = SecretBox(imit: try SecretBox(.gost28147(sBox), key: key), iv: iv, meshing: meshing)
        self.tagLength = tagLength
    }

    /// Appends `data` to the message. Constant time in its secret inputs.
    package mutating func update(_ data: Span<UInt8>) { mac.update(data) }

    /// Ends the message and returns its MAC, the first bytes of the state. Constant time in its secret inputs.
    ///
    /// The last block is padded with zeros. The standard wants two blocks or more: to a message of one, a block of zeros
    /// is added, as CryptoPro CSP, libgcrypt and OpenSSL's engine do; other libraries leave it at one block. The MAC of
    /// no bytes is the initial state.
    package consuming func finalize() -> Secret { mac.end(tagLength) }

    /// The MAC of `data` under `key`. Constant time in its secret inputs.
    ///
    /// - Throws: As the initialiser.
    package static func authenticate(
        _ data: Span<UInt8>, key: Span<UInt8>, iv: Span<UInt8> = Span(), sBox: SBox, meshing: Bool, tagLength: Int = 4
    ) throws(GOSTError) -> Secret {
        var code = try GOST28147IMIT(key: key, iv: iv, sBox: sBox, meshing: meshing, tagLength: tagLength)
        code.update(data)
        return code.finalize()
    }
}
