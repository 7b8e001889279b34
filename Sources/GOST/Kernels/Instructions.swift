// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
internal import Synchronization

/// The instructions that ciphers and hashes use: every processor's, or a set for which there are kernels. Results are the
/// same with all of them.
package enum Instructions: UInt8, CaseIterable, Sendable {
    /// Those of every processor.
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

    private static var best: Instructions {
        switch gost_best_path() {
        case .portable: .portable
        case .avx2: .avx2
        case .avx512: .avx512
        case .neon: .neon
        }
    }
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
/// publish it first. Only in the kernel's function does the proof of constant time allow a branch on a secret; its
/// result is a constant there.
package func published(_ answer: Bool) -> Bool { gost_public_answer(answer) }

/// GOST R 34.11-94 by the kernels.
extension GOSTR341194 {
    /// Replaces the hash value by χ of it and each whole block of `data`, one after the other.
    static func step(_ hash: inout SIMD4<UInt64>, _ data: Span<UInt8>, _ substitution: Substitution) {
        unsafe data.withUnsafeBytes { unsafe step(&hash, $0, substitution) }
    }

    /// Replaces the hash value by χ of it and `block`.
    static func step(_ hash: inout SIMD4<UInt64>, _ block: SIMD4<UInt64>, _ substitution: Substitution) {
        unsafe withUnsafeBytes(of: block) { unsafe step(&hash, $0, substitution) }
    }

    private static func step(
        _ hash: inout SIMD4<UInt64>, _ data: UnsafeRawBufferPointer, _ substitution: Substitution
    ) {
        let (path, count) = (Instructions.current.path, data.count / blockSize)
        unsafe withUnsafeMutablePointer(to: &hash) { hash in
            let words = unsafe UnsafeMutableRawPointer(hash).assumingMemoryBound(to: UInt64.self)
            let bytes = unsafe data.assumingMemoryBound(to: UInt8.self).baseAddress
            unsafe substitution.rows.span.withUnsafeBufferPointer { rows in
                unsafe gost_341194_hash(path, rows.baseAddress, words, bytes, count)
            }
        }
    }
}

/// GOST R 34.11-2012 by the kernels.
extension StreebogState {
    /// Hashes the whole blocks of `data`: the hash value h, the number N of bits and the sum Σ become the next.
    static func absorb(
        _ data: Span<UInt8>, _ hash: inout SIMD8<UInt64>, _ length: inout UInt64, _ sum: inout SIMD8<UInt64>
    ) {
        let (path, count) = (Instructions.current.path, data.count / 64)
        unsafe withWords(&hash) { hash in
            unsafe withWords(&sum) { sum in
                unsafe data.withUnsafeBufferPointer {
                    unsafe gost_streebog_update(
                        path, hash, &length, sum, $0.baseAddress, count, gost_streebog_constants())
                }
            }
        }
    }

    /// Replaces the hash value by g_N of it and `block`, N being `counter`.
    mutating func compress(_ block: SIMD8<UInt64>, counter: UInt64) {
        let path = Instructions.current.path
        var block = block
        unsafe Self.withWords(&hash) { hash in
            unsafe Self.withWords(&block) { block in
                unsafe gost_streebog_compress(path, hash, block, counter, gost_streebog_constants())
            }
        }
    }

    private static func withWords(_ vector: inout SIMD8<UInt64>, _ body: (UnsafeMutablePointer<UInt64>) -> Void) {
        unsafe withUnsafeMutablePointer(to: &vector) {
            unsafe body(UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt64.self))
        }
    }
}
