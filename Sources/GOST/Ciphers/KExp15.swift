// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels
package import Secrets

/// The export of keys KExp15 and its inverse KImp15 (RFC 9189, 8.2.1; R 1323565.1.017-2018).
package enum KExp15 {
    /// The bytes K ‖ OMAC(IV ‖ K), enciphered with CTR. Constant time in its secret inputs.
    ///
    /// - Parameters:
    ///   - key: The key to be exported, of any length but zero.
    ///   - keys: The code's key and the cipher's, of 32 bytes each.
    ///   - iv: Half a block, unique under the same keys.
    /// - Throws: ``GOSTError/invalidKeyLength`` if there is nothing to export, or `keys` have not 64 bytes, or
    ///   ``GOSTError/invalidIVLength``.
    package static func wrap(
        _ key: Span<UInt8>, _ algorithm: CipherAlgorithm, keys: Span<UInt8>, iv: Span<UInt8>
    ) throws(GOSTError) -> Secret {
        guard !key.isEmpty else { throw .invalidKeyLength }
        return unsafe try convert(key, algorithm, keys, iv, toCount: key.count + algorithm.blockSize) {
            unsafe gost_kexp15($0, $1, $2, $3, $4, $5, $6)
            return true
        }
    }

    /// The key in the result of ``wrap(_:_:keys:iv:)``. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength``, ``GOSTError/invalidIVLength``, ``GOSTError/invalidLength`` if
    ///   `wrapped` is no longer than a MAC, or ``GOSTError/authenticationFailed``.
    package static func unwrap(
        _ wrapped: Span<UInt8>, _ algorithm: CipherAlgorithm, keys: Span<UInt8>, iv: Span<UInt8>
    ) throws(GOSTError) -> Secret {
        guard wrapped.count > algorithm.blockSize else { throw .invalidLength }
        return unsafe try convert(wrapped, algorithm, keys, iv, toCount: wrapped.count - algorithm.blockSize) {
            unsafe gost_kimp15($0, $1, $2, $3, $4, $5, $6)
        }
    }

    private typealias Conversion = (
        gost_path, gost_cipher_name, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?, Int,
        UnsafeMutablePointer<UInt8>?
    ) -> Bool

    private static func convert(
        _ input: Span<UInt8>, _ algorithm: CipherAlgorithm, _ keys: Span<UInt8>, _ iv: Span<UInt8>, toCount count: Int,
        _ conversion: Conversion
    ) throws(GOSTError) -> Secret {
        guard keys.count == 2 * CipherAlgorithm.keySize else { throw .invalidKeyLength }
        guard iv.count == algorithm.blockSize / 2 else { throw .invalidIVLength }
        var output = Secret(count: count)
        var bytes = output.mutableBytes
        let isRight = unsafe keys.withUnsafeBufferPointer { keys in
            unsafe iv.withUnsafeBufferPointer { iv in
                unsafe input.withUnsafeBufferPointer { input in
                    unsafe bytes.withUnsafeMutableBufferPointer {
                        unsafe conversion(
                            Instructions.current.path, algorithm.name, keys.baseAddress, iv.baseAddress,
                            input.baseAddress,
                            input.count, $0.baseAddress)
                    }
                }
            }
        }
        guard isRight else { throw .authenticationFailed }
        return output
    }
}
