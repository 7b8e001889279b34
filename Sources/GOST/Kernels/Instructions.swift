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
