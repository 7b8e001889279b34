// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
internal import Synchronization

/// The instructions that ciphers and hashes use: those of every processor, or a set for which there are kernels.
///
/// Results are the same with all of them. Functions without a kernel in a set run as portable code.
package enum Instructions: UInt8, CaseIterable, Sendable {
    /// Swift alone.
    case portable
    /// x86-64 with AVX2.
    case avx2
    /// x86-64 with AVX-512 VBMI and GFNI.
    case avx512
    /// arm64.
    case neon

    /// Whether this processor has them and the operating system keeps their registers.
    package var areAvailable: Bool { gost_has_path(path) }

    /// The ones in use: the best that are available, unless others have been chosen.
    package static var current: Instructions {
        Instructions(rawValue: chosen.load(ordering: .relaxed)) ?? best
    }

    /// Makes the whole process use `instructions`, or with nil the best again. Sets that are not available are refused.
    ///
    /// For tests and measurements.
    @discardableResult
    package static func choose(_ instructions: Instructions?) -> Bool {
        guard instructions?.areAvailable ?? true else { return false }
        chosen.store(instructions?.rawValue ?? .max, ordering: .relaxed)
        return true
    }

    private static let best = [avx512, avx2, neon].first { $0.areAvailable } ?? portable
    private static let chosen = Atomic<UInt8>(.max)

    var path: gost_path {
        switch self {
        case .portable: .portable
        case .avx2: .avx2
        case .avx512: .avx512
        case .neon: .neon
        }
    }
}

/// The result of `body`, which computes with secrets. Everything that it leaves on the stack and in registers is
/// cleared, wherever the compiler has put it.
@inline(__always)
func clearingTraces<Result: ~Copyable>(_ body: () throws(GOSTError) -> Result) throws(GOSTError) -> Result {
    defer { gost_clear_stack() }
    return try apart(body)
}

/// Runs `body` below the frame of the caller, where its traces can be cleared.
@inline(never)
private func apart<Result: ~Copyable>(_ body: () throws(GOSTError) -> Result) throws(GOSTError) -> Result {
    try body()
}

/// A public answer that depends on secrets: a MAC is right, a number is in range. To branch on such an answer is to
/// publish it first. The kernel's function is the only one that the proof of constant time lets branch on a secret; its
/// result is a constant there.
package func published(_ answer: Bool) -> Bool { gost_public_answer(answer) }

extension Counter {
    /// Lends the counter to a kernel, which counts on.
    mutating func withKernel(_ body: (UnsafeMutablePointer<gost_counter>) -> Bool) -> Bool {
        let part: gost_part =
            switch part {
            case .whole: .whole
            case .left: .left
            case .right: .right
            }
        var counter = gost_counter(left: left, right: right, part: part)
        let done = unsafe body(&counter)
        (left, right) = (counter.left, counter.right)
        return done
    }
}

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
            let bytes = unsafe data.assumingMemoryBound(to: UInt8.self).baseAddress
            return unsafe substitution.rows.span.withUnsafeBufferPointer { rows in
                unsafe gost_341194_hash(path, rows.baseAddress, words, bytes, count)
            }
        }
    }
}

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
