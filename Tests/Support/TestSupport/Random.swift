// SPDX-License-Identifier: Apache-2.0
import Foundation
package import Secrets
import Synchronization

/// "Random" bytes that are given in advance, to reproduce published vectors. Fails when they are used up.
package final class FixedRandom: RandomSource {
    private let remaining: Mutex<ArraySlice<UInt8>>

    package init(_ bytes: [UInt8]...) { remaining = Mutex(Array(bytes.joined())[...]) }

    package func fill(_ bytes: inout MutableSpan<UInt8>) throws(RandomUnavailable) {
        let count = bytes.count
        let chunk: [UInt8]? = remaining.withLock { remaining in
            guard remaining.count >= count else { return nil }
            defer { remaining = remaining.dropFirst(count) }
            return Array(remaining.prefix(count))
        }
        guard let chunk else { throw RandomUnavailable() }
        for index in bytes.indices { bytes[index] = chunk[index] }
    }
}

/// Random numbers from the run's seed and the name of their user: fresh in every run, and the same again if the
/// environment's `KANAL_SEED` is the seed that a run has printed.
package final class Seeded: RandomSource {
    private static let seed: UInt64 = {
        let given = ProcessInfo.processInfo.environment["KANAL_SEED"]
        let seed = given.flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        print("The random input of the comparisons with other programs repeats with KANAL_SEED=\(seed)")
        return seed
    }()

    private let state: Atomic<UInt64>

    package init(_ name: String) {
        // FNV-1a.
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        state = Atomic(Self.seed ^ hash)
    }

    /// SplitMix64.
    package func number() -> UInt64 {
        var number = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
        return number ^ number >> 31
    }

    package func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(number() % UInt64(range.count))
    }

    package func fill(_ bytes: inout MutableSpan<UInt8>) {
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: number()) }
    }

    /// Messages: short ones, around the 1024 bytes after which keys are meshed, and long ones.
    package func messages() throws -> [[UInt8]] {
        try [1...40, 41...500, 1000...1050, 1051...3000, 3001...20000].map { try bytes(number(in: $0)) }
    }
}
