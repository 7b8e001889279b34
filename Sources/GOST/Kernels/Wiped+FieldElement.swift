// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels

extension Wiped<FieldElement> {
    /// Adds the products of whole blocks of `data` and of as many of `factors`. False, with nothing done, without a
    /// kernel.
    mutating func addProducts(_ data: Span<UInt8>, _ factors: Span<UInt8>, blockSize: Int) -> Bool {
        guard factors.count >= data.count else { return false }
        let path = Instructions.current.path
        var words: InlineArray<2, UInt64> = [0, 0]
        var span = words.mutableSpan
        let done = unsafe span.withUnsafeMutableBufferPointer { sum in
            unsafe data.withUnsafeBufferPointer { data in
                unsafe factors.withUnsafeBufferPointer { factors in
                    unsafe gost_multilinear_sum(
                        path, sum.baseAddress, data.baseAddress, factors.baseAddress, blockSize,
                        data.count / blockSize)
                }
            }
        }
        value.low ^= words[0]
        value.high ^= words[1]
        return done
    }
}
