// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
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
        var wrapped = Secret(copying: ukm, zeros: 36)
        var bytes = wrapped.mutableBytes
        var result = bytes._mutatingExtracting(8..<44)
        unsafe kek.bytes.withUnsafeBufferPointer { kek in
            unsafe ukm.withUnsafeBufferPointer { ukm in
                unsafe key.withUnsafeBufferPointer { key in
                    unsafe result.withUnsafeMutableBufferPointer {
                        unsafe gost_wrap_28147(
                            Instructions.current.path, sBox.set, kek.baseAddress, ukm.baseAddress, key.baseAddress,
                            $0.baseAddress)
                    }
                }
            }
        }
        return wrapped
    }

    /// The key in what ``wrap(_:kek:ukm:sBox:)`` made. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength`` for `kek`, ``GOSTError/invalidLength`` unless `wrapped` has 44 bytes,
    ///   or ``GOSTError/authenticationFailed``.
    package func unwrap(_ wrapped: Span<UInt8>, kek: Span<UInt8>, sBox: SBox) throws(GOSTError) -> Secret {
        guard wrapped.count == 44 else { throw .invalidLength }
        let ukm = wrapped.extracting(first: 8)
        let kek = try effective(kek, ukm, sBox)
        let code = wrapped.extracting(8..<44)
        var key = Secret(count: 32)
        var bytes = key.mutableBytes
        let isRight = unsafe kek.bytes.withUnsafeBufferPointer { kek in
            unsafe ukm.withUnsafeBufferPointer { ukm in
                unsafe code.withUnsafeBufferPointer { code in
                    unsafe bytes.withUnsafeMutableBufferPointer {
                        unsafe gost_unwrap_28147(
                            Instructions.current.path, sBox.set, kek.baseAddress, ukm.baseAddress, code.baseAddress,
                            $0.baseAddress)
                    }
                }
            }
        }
        guard isRight else { throw .authenticationFailed }
        return key
    }

    /// CryptoPro KEK Diversification (RFC 4357, 6.5): a key-encryption key of 32 bytes from `kek` and `ukm`, which is
    /// not secret. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength``, or ``GOSTError/invalidIVLength`` unless `ukm` has 8 bytes.
    package static func diversify(_ kek: Span<UInt8>, ukm: Span<UInt8>, sBox: SBox) throws(GOSTError) -> Secret {
        guard kek.count == 32 else { throw .invalidKeyLength }
        guard ukm.count == 8 else { throw .invalidIVLength }
        var key = Secret(count: 32)
        var bytes = key.mutableBytes
        unsafe kek.withUnsafeBufferPointer { kek in
            unsafe ukm.withUnsafeBufferPointer { ukm in
                unsafe bytes.withUnsafeMutableBufferPointer {
                    unsafe gost_diversify(
                        Instructions.current.path, sBox.set, kek.baseAddress, ukm.baseAddress, $0.baseAddress)
                }
            }
        }
        return key
    }

    /// The key that wraps.
    private func effective(_ kek: Span<UInt8>, _ ukm: Span<UInt8>, _ sBox: SBox) throws(GOSTError) -> Secret {
        guard kek.count == 32 else { throw .invalidKeyLength }
        guard ukm.count == 8 else { throw .invalidIVLength }
        return switch self {
        case .gost: Secret(copying: kek)
        case .cryptoPro: try Self.diversify(kek, ukm: ukm, sBox: sBox)
        }
    }
}
