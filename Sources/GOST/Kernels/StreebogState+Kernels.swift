// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels

/// GOST R 34.11-2012 by the kernels.
extension StreebogState {
    /// Hashes the whole blocks at the front of `data`, and returns the rest of it: everything without a kernel.
    @_lifetime(copy data)
    mutating func absorbBlocksByKernel(_ data: Span<UInt8>) -> Span<UInt8> {
        let (path, count) = (Instructions.current.path, data.count / 64)
        guard count > 0 else { return data }
        let done = unsafe Self.withWords(&hash) { hash in
            unsafe Self.withWords(&sum) { sum in
                unsafe data.withUnsafeBufferPointer {
                    unsafe gost_streebog_update(
                        path, hash, &length, sum, $0.baseAddress, count, gost_streebog_constants())
                }
            }
        }
        return done ? data.extracting(droppingFirst: 64 * count) : data
    }

    /// Replaces the hash value by g_N of it and `block`, N being `counter`. False, with nothing done, without a kernel.
    mutating func compressByKernel(_ block: SIMD8<UInt64>, counter: UInt64) -> Bool {
        let path = Instructions.current.path
        var block = block
        return unsafe Self.withWords(&hash) { hash in
            unsafe Self.withWords(&block) { block in
                unsafe gost_streebog_compress(path, hash, block, counter, gost_streebog_constants())
            }
        }
    }

    private static func withWords<Result>(
        _ vector: inout SIMD8<UInt64>, _ body: (UnsafeMutablePointer<UInt64>) -> Result
    ) -> Result {
        unsafe withUnsafeMutablePointer(to: &vector) {
            unsafe body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt64.self))
        }
    }
}
