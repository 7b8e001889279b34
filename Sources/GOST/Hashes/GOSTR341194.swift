// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// The hash function GOST R 34.11-94 (RFC 5831).
///
/// The hash code of the empty message is that of step 3 alone (981e5f3c… with the CryptoPro S-box), as libgcrypt and
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
                if partial.count == 0 { rest = absorbBlocks(rest) }
                rest = partial.fill(from: rest)
                if partial.isFull { absorb() }
            }
        }

        /// Hashes the whole blocks at the front of `data` by a kernel, and returns the rest of it.
        @_lifetime(copy data)
        private mutating func absorbBlocks(_ data: Span<UInt8>) -> Span<UInt8> {
            let count = data.count / 32 * 32
            guard count > 0, GOSTR341194.stepByKernel(&hash, data, substitution) else { return data }
            length &+= UInt64(8 * count)
            for start in stride(from: 0, to: count, by: 32) {
                sum = sum.adding(SIMD4(littleEndian: data.extracting(droppingFirst: start)))
            }
            return data.extracting(droppingFirst: count)
        }

        /// Hashes the last block, padded with zeros, then L, then Σ.
        mutating func finish() {
            if partial.count > 0 { absorb() }
            compress(SIMD4(length, 0, 0, 0))
            compress(sum)
        }

        /// Hashes the block that has come, and counts it.
        private mutating func absorb() {
            let block = SIMD4(littleEndian: partial.bytes)
            length &+= UInt64(8 * partial.count)
            sum = sum.adding(block)
            compress(block)
            partial.clear()
        }

        private mutating func compress(_ block: SIMD4<UInt64>) {
            if !GOSTR341194.stepByKernel(&hash, block, substitution) {
                hash = GOSTR341194.step(hash, block, substitution)
            }
        }
    }
}

/// The step function of GOST R 34.11-94 (RFC 5831, 5). Numbers of 256 bits are four words, the least significant first.
/// Constant time.
extension GOSTR341194 {
    /// χ(M, H): the next hash value.
    static func step(
        _ hash: SIMD4<UInt64>, _ block: SIMD4<UInt64>, _ substitution: Substitution
    ) -> SIMD4<UInt64> {
        var blocks = Blocks28147(hash)
        blocks.encrypt(keys(hash, block), substitution)
        return mix(blocks.numbers, block, hash)
    }

    /// The four keys (RFC 5831, 5.1).
    @inline(__always)
    private static func keys(_ hash: SIMD4<UInt64>, _ block: SIMD4<UInt64>) -> Keys28147 {
        let c3 = SIMD4<UInt64>(
            0xFF00_FF00_FF00_FF00, 0x00FF_00FF_00FF_00FF, 0xFF00_00FF_00FF_FF00, 0xFF00_FFFF_0000_00FF)
        let u1 = hash
        let u2 = a(u1)
        let u3 = a(u2) ^ c3
        let u4 = a(u3)
        let v2 = a(a(block))
        let v3 = a(a(v2))
        let v4 = a(a(v3))
        return Keys28147(permuting: (u1 ^ block, u2 ^ v2, u3 ^ v3, u4 ^ v4))
    }

    /// A(y4 ‖ y3 ‖ y2 ‖ y1) = (y1 + y2) ‖ y4 ‖ y3 ‖ y2.
    @inline(__always)
    private static func a(_ y: SIMD4<UInt64>) -> SIMD4<UInt64> {
        SIMD4(y[1], y[2], y[3], y[0] ^ y[1])
    }

    /// The mixing transformation ψ^61(H + ψ(M + ψ^12(S))) (RFC 5831, 5.3).
    ///
    /// ψ is a shift register of sixteen words of 16 bits: all its states form one sequence.
    @inline(__always)
    private static func mix(
        _ s: SIMD4<UInt64>, _ block: SIMD4<UInt64>, _ hash: SIMD4<UInt64>
    ) -> SIMD4<UInt64> {
        var y = InlineArray<90, UInt16>(repeating: 0)
        add(s, to: &y, at: 0)
        shift(&y, 0..<12)
        add(block, to: &y, at: 12)
        shift(&y, 12..<13)
        add(hash, to: &y, at: 13)
        shift(&y, 13..<74)

        var mixed = SIMD4<UInt64>()
        for index in 0..<16 { mixed[index / 4] |= UInt64(y[74 + index]) << UInt64(16 * (index % 4)) }
        return mixed
    }

    @inline(__always)
    private static func shift(_ y: inout InlineArray<90, UInt16>, _ steps: Range<Int>) {
        for i in steps { y[i + 16] = y[i] ^ y[i + 1] ^ y[i + 2] ^ y[i + 3] ^ y[i + 12] ^ y[i + 15] }
    }

    @inline(__always)
    private static func add(_ number: SIMD4<UInt64>, to y: inout InlineArray<90, UInt16>, at offset: Int) {
        for index in 0..<16 {
            y[offset + index] ^= UInt16(truncatingIfNeeded: number[index / 4] >> UInt64(16 * (index % 4)))
        }
    }
}

extension Keys28147 {
    /// The permutation P (RFC 5831, 5.1) of four numbers of 256 bits: word k of a key has byte k of the number's four
    /// parts of 64 bits.
    @inline(__always)
    fileprivate init(permuting w: (SIMD4<UInt64>, SIMD4<UInt64>, SIMD4<UInt64>, SIMD4<UInt64>)) {
        // Part i of all four numbers; then a transposition of 4 × 4 bytes in either half of the lanes.
        var p0 = SIMD4(w.0[0], w.1[0], w.2[0], w.3[0])
        var p1 = SIMD4(w.0[1], w.1[1], w.2[1], w.3[1])
        var p2 = SIMD4(w.0[2], w.1[2], w.2[2], w.3[2])
        var p3 = SIMD4(w.0[3], w.1[3], w.2[3], w.3[3])
        Self.exchange(&p0, &p1, shift: 8, mask: 0x00FF_00FF_00FF_00FF)
        Self.exchange(&p2, &p3, shift: 8, mask: 0x00FF_00FF_00FF_00FF)
        Self.exchange(&p0, &p2, shift: 16, mask: 0x0000_FFFF_0000_FFFF)
        Self.exchange(&p1, &p3, shift: 16, mask: 0x0000_FFFF_0000_FFFF)
        self.init(pairs: [p0, p1, p2, p3])
    }

    /// Exchanges the bits of `high` at `mask` with those of `low` that are `shift` places higher.
    @inline(__always)
    private static func exchange(
        _ low: inout SIMD4<UInt64>, _ high: inout SIMD4<UInt64>, shift: UInt64, mask: UInt64
    ) {
        let difference = ((low &>> shift) ^ high) & SIMD4(repeating: mask)
        high ^= difference
        low ^= difference &<< shift
    }
}
