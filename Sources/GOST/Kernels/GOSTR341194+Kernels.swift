// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels

/// GOST R 34.11-94 by the kernels. Without a kernel both functions return false and do nothing.
extension GOSTR341194 {
    /// Replaces the hash value by χ of it and each whole block of `data`, one after the other.
    static func stepByKernel(
        _ hash: inout SIMD4<UInt64>, _ data: Span<UInt8>, _ substitution: Substitution
    ) -> Bool {
        unsafe data.withUnsafeBytes { unsafe step(&hash, $0, substitution) }
    }

    /// Replaces the hash value by χ of it and `block`.
    static func stepByKernel(
        _ hash: inout SIMD4<UInt64>, _ block: SIMD4<UInt64>, _ substitution: Substitution
    ) -> Bool {
        unsafe withUnsafeBytes(of: block) { unsafe step(&hash, $0, substitution) }
    }

    private static func step(
        _ hash: inout SIMD4<UInt64>, _ data: UnsafeRawBufferPointer, _ substitution: Substitution
    ) -> Bool {
        let (path, count) = (Instructions.current.path, data.count / blockSize)
        return unsafe withUnsafeMutablePointer(to: &hash) { hash in
            let words = unsafe UnsafeMutableRawPointer(hash).assumingMemoryBound(to: UInt64.self)
            let octets = unsafe data.assumingMemoryBound(to: UInt8.self).baseAddress
            return unsafe substitution.rows.span.withUnsafeBufferPointer { rows in
                unsafe gost_341194_hash(path, rows.baseAddress, words, octets, count)
            }
        }
    }
}
