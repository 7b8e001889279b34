// SPDX-License-Identifier: Apache-2.0

package import Secrets

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

    /// The sum of the key's words at the bits that are set in `choice`, then the sum at the other bits, modulo 2^32.
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
