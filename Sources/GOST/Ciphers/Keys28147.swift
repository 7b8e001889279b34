// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
import Secrets

/// A key of GOST 28147-89 as the kernels take it: eight words of 32 bits (RFC 5830, 5.1), in four lanes each.
struct Keys28147: BitwiseCopyable, Sendable {
    var words = InlineArray<8, SIMD4<UInt32>>(repeating: SIMD4())

    /// A key of 32 bytes.
    init(repeating key: Span<UInt8>) {
        for index in 0..<8 { words[index] = SIMD4(repeating: key.littleEndianUInt32(at: 4 * index)) }
    }

    /// A key of 32 bytes, the words beginning with the most significant byte (RFC 8891, 4.2).
    init(bigEndian key: Span<UInt8>) {
        for index in 0..<8 { words[index] = SIMD4(repeating: key.littleEndianUInt32(at: 4 * index).byteSwapped) }
    }
}
