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

    /// Ends the message and gives its MAC, the first bytes of the state. Constant time in its secret inputs.
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

/// How a key of GOST 28147-89 is wrapped with another (RFC 4357, 6): UKM ‖ CEK_ENC ‖ CEK_MAC, 44 bytes.
package enum GOST28147KeyWrap: Sendable {
    /// The key is wrapped with the key-encryption key itself (RFC 4357, 6.1 and 6.2).
    case gost
    /// The key is wrapped with the key-encryption key after its diversification by the UKM (RFC 4357, 6.3 and 6.4).
    case cryptoPro

    /// The bytes UKM ‖ CEK_ENC ‖ CEK_MAC. Constant time in its secret inputs.
    ///
    /// - Parameters:
    ///   - key: The key to be wrapped, 32 bytes.
    ///   - kek: The key-encryption key, 32 bytes.
    ///   - ukm: The user keying material, 8 bytes, not secret.
    /// - Throws: ``GOSTError/invalidKeyLength``, or ``GOSTError/invalidIVLength`` for `ukm`.
    package func wrap(
        _ key: Span<UInt8>, kek: Span<UInt8>, ukm: Span<UInt8>, sBox: SBox
    ) throws(GOSTError) -> Secret {
        guard key.count == 32 else { throw .invalidKeyLength }
        let kek = try effective(kek, ukm, sBox)
        let code = try Self.code(Secret(copying: key), kek, ukm, sBox)
        let enciphered = try GOST28147(key: kek.bytes, sBox: sBox).encryptECB(key)
        return Secret(copying: ukm).appending(enciphered.bytes).appending(code.bytes)
    }

    /// The key in what ``wrap(_:kek:ukm:sBox:)`` made. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength`` for `kek`, ``GOSTError/invalidLength`` unless `wrapped` has 44 bytes,
    ///   or ``GOSTError/authenticationFailed``.
    package func unwrap(_ wrapped: Span<UInt8>, kek: Span<UInt8>, sBox: SBox) throws(GOSTError) -> Secret {
        guard wrapped.count == 44 else { throw .invalidLength }
        let ukm = wrapped.extracting(first: 8)
        let kek = try effective(kek, ukm, sBox)
        let key = try GOST28147(key: kek.bytes, sBox: sBox).decryptECB(wrapped.extracting(8..<40))
        let code = try Self.code(key, kek, ukm, sBox)
        try GOST.authenticate(wrapped.extracting(last: 4), as: code.bytes)
        return key
    }

    /// CryptoPro KEK Diversification (RFC 4357, 6.5): a key-encryption key of 32 bytes from `kek` and `ukm`, which is
    /// not secret. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength``, or ``GOSTError/invalidIVLength`` unless `ukm` has 8 bytes.
    package static func diversify(_ kek: Span<UInt8>, ukm: Span<UInt8>, sBox: SBox) throws(GOSTError) -> Secret {
        guard kek.count == 32 else { throw .invalidKeyLength }
        guard ukm.count == 8 else { throw .invalidIVLength }
        var key = Secret(copying: kek)
        for index in ukm.indices {
            let iv = initialVector(key.bytes, choice: ukm[index])
            var mode = try GOST28147CFB(key: key.bytes, iv: iv.bytes, sBox: sBox, meshing: false)
            key = mode.encrypt(key.bytes)
        }
        return key
    }

    /// The sum of the key's words at the bits that are set in `choice`, then that of the others, modulo 2^32.
    private static func initialVector(_ key: Span<UInt8>, choice: UInt8) -> Secret {
        var (chosen, others) = (UInt32(0), UInt32(0))
        for index in 0..<8 {
            let word = key.littleEndianUInt32(at: 4 * index)
            if choice >> UInt8(index) & 1 == 1 { chosen &+= word } else { others &+= word }
        }
        return Secret(littleEndian: SIMD2(UInt64(chosen) | UInt64(others) << 32, 0), 0..<1)
    }

    /// The key that wraps.
    private func effective(_ kek: Span<UInt8>, _ ukm: Span<UInt8>, _ sBox: SBox) throws(GOSTError) -> Secret {
        guard kek.count == 32 else { throw .invalidKeyLength }
        return switch self {
        case .gost: Secret(copying: kek)
        case .cryptoPro: try Self.diversify(kek, ukm: ukm, sBox: sBox)
        }
    }

    /// CEK_MAC: the MAC of `key`, which starts from the UKM.
    private static func code(
        _ key: borrowing Secret, _ kek: borrowing Secret, _ ukm: Span<UInt8>, _ sBox: SBox
    ) throws(GOSTError) -> Secret {
        guard ukm.count == 8 else { throw .invalidIVLength }
        return try GOST28147IMIT.authenticate(key.bytes, key: kek.bytes, iv: ukm, sBox: sBox, meshing: false)
    }
}
