// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// The message authentication code of GOST 28147-89 (RFC 5830, 8), of a message that comes in pieces.
package struct GOST28147IMIT: ~Copyable, Sendable {
    private let tagLength: Int
    private var meshed: MeshedCipher
    private var state: SecretBox<State>

    struct State: BitwiseCopyable, Sendable {
        var code: UInt64
        var partial = PartialBlock<8>()
        var blocks = 0
    }

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
        meshed = MeshedCipher(try GOST28147(key: key, sBox: sBox), meshing: meshing)
        state = SecretBox(State(code: iv.littleEndianUInt64(at: 0)))
        self.tagLength = tagLength
    }

    /// Appends `data` to the message. Constant time in its secret inputs.
    package mutating func update(_ data: Span<UInt8>) {
        var rest = data
        while !rest.isEmpty {
            if state.value.partial.count == 0 { rest = absorbBlocks(of: rest) }
            rest = state.value.partial.fill(from: rest)
            if state.value.partial.isFull { absorb() }
        }
    }

    /// Ends the message and returns its MAC, the first bytes of the state. Constant time in its secret inputs.
    ///
    /// The last block is padded with zeros. The standard wants two blocks or more: to a message of one, a block of zeros
    /// is added, as CryptoPro CSP, libgcrypt and OpenSSL's engine do; other libraries leave it at one block. The MAC of
    /// no bytes is the initial state.
    package consuming func finalize() -> Secret {
        if state.value.partial.count > 0 { absorb() }
        if state.value.blocks == 1 { absorb() }
        let code = Secret(littleEndian: SIMD2(state.value.code, 0), 0..<1)
        return code.extracting(0..<tagLength)
    }

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

    /// Adds whole blocks from the front of `data` to the state, and returns the rest of `data`.
    @_lifetime(copy data)
    private mutating func absorbBlocks(of data: Span<UInt8>) -> Span<UInt8> {
        var rest = data
        while rest.count >= 8 {
            let (count, _) = meshed.begin(rest.count / 8 * 8)
            meshed.cipher.authenticate(rest.extracting(first: count), &state.value.code)
            state.value.blocks = min(state.value.blocks + count / 8, 2)
            rest = rest.extracting(droppingFirst: count)
        }
        return rest
    }

    /// Adds the block so far to the state; missing bytes are zero.
    private mutating func absorb() {
        let block = state.value.partial
        _ = absorbBlocks(of: block.bytes)
        state.value.partial.clear()
    }
}
