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
