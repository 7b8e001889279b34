// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// The hash function GOST R 34.11-94 (RFC 5831).
///
/// The hash code of the empty message is the result of step 3 alone (981e5f3c… with the CryptoPro S-box), as libgcrypt and
/// most others have it; by the letter of step 2, which OpenSSL's gost engine follows, a block of zeros comes first.
package struct GOSTR341194: HashFunction, ~Copyable {
    package static var digestSize: Int { 32 }
    package static var blockSize: Int { 32 }

    private var state: SecretBox<State>

    /// A hash with the S-box id-GostR3411-94-CryptoProParamSet (RFC 4357, 11.2).
    package init() {
        self.init(sBox: .r341194CryptoPro)
    }

    /// A hash with any S-box.
    package init(sBox: SBox) {
        state = SecretBox(State(sBox))
    }

    private init(_ state: State) {
        self.state = SecretBox(state)
    }

    package mutating func update(_ data: Span<UInt8>) {
        state.value.update(data)
    }

    package consuming func finalize() -> Secret {
        state.value.finish()
        return Secret(littleEndian: state.value.hash, 0..<4)
    }

    package borrowing func copy() -> GOSTR341194 {
        GOSTR341194(state.value)
    }
}

extension GOSTR341194 {
    /// The iteration of RFC 5831, 6.
    struct State: BitwiseCopyable, Sendable {
        private let substitution: Substitution
        /// H, the sum Σ of all blocks modulo 2^256, and the number L of the message's bits.
        private(set) var hash = SIMD4<UInt64>()
        private var sum = SIMD4<UInt64>()
        private var length: UInt64 = 0
        private var partial = PartialBlock<32>()

        init(_ sBox: SBox) { substitution = sBox.substitution }

        mutating func update(_ data: Span<UInt8>) {
            var rest = data
            while !rest.isEmpty {
                if partial.count == 0 {
                    let count = rest.count / 32 * 32
                    Self.absorb(rest.extracting(first: count), &hash, &sum, substitution)
                    length &+= UInt64(8 * count)
                    rest = rest.extracting(droppingFirst: count)
                }
                rest = partial.fill(from: rest)
                if partial.isFull { absorb() }
            }
        }

        /// Hashes the last block, padded with zeros, then L, then Σ.
        mutating func finish() {
            if partial.count > 0 { absorb() }
            GOSTR341194.step(&hash, SIMD4(length, 0, 0, 0), substitution)
            GOSTR341194.step(&hash, sum, substitution)
        }

        /// Hashes the block that has come, and counts it.
        private mutating func absorb() {
            Self.absorb(partial.bytes, &hash, &sum, substitution)
            length &+= UInt64(8 * partial.count)
            partial.clear()
        }

        /// Hashes whole blocks, and adds them to the sum.
        private static func absorb(
            _ blocks: Span<UInt8>, _ hash: inout SIMD4<UInt64>, _ sum: inout SIMD4<UInt64>, _ substitution: Substitution
        ) {
            GOSTR341194.step(&hash, blocks, substitution)
            for start in stride(from: 0, to: blocks.count, by: 32) {
                sum = sum.adding(SIMD4(littleEndian: blocks.extracting(droppingFirst: start)))
            }
        }
    }
}
