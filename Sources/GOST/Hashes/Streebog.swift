// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels
package import Secrets

/// The compression function of GOST R 34.11-2012 (RFC 6986, 8). Vectors of 512 bits are eight words, the least
/// significant first. Constant time.
enum Streebog {
    /// g_N(h, m) = E(LPS(h + N), m) + h + m, with N = `counter`.
    static func compress(_ hash: SIMD8<UInt64>, _ block: SIMD8<UInt64>, counter: UInt64) -> SIMD8<UInt64> {
        // Lane 0 is the vector that E enciphers, lane 1 the round key; first the key alone.
        var rows = Rows(repeating: SIMD2())
        for row in 0..<8 { rows[row][1] = hash[row] }
        rows[0][1] ^= counter
        lps(&rows)
        for row in 0..<8 { rows[row][0] = block[row] }

        for round in 0..<12 {
            for row in 0..<8 { rows[row] ^= SIMD2(rows[row][1], constants[round][row]) }
            lps(&rows)
        }

        var result = hash ^ block
        for row in 0..<8 { result[row] ^= rows[row][0] ^ rows[row][1] }
        return result
    }

    /// C_1…C_12 (RFC 6986, 6.5).
    static let constants = InlineArray<12, SIMD8<UInt64>> { round in
        var constant = SIMD8<UInt64>()
        for word in 0..<8 { constant[word] = unsafe gost_streebog_constants()?[8 * round + word] ?? 0 }
        return constant
    }
}

/// The hash function GOST R 34.11-2012 with a hash code of 256 bits (RFC 6986).
package struct Streebog256: HashFunction, ~Copyable {
    package static var digestSize: Int { 32 }
    package static var blockSize: Int { 64 }

    private var state: Wiped<StreebogState>

    package init() {
        state = Wiped(StreebogState(initial: 0x0101_0101_0101_0101))
    }

    private init(_ state: StreebogState) {
        self.state = Wiped(state)
    }

    package mutating func update(_ data: Span<UInt8>) {
        state.value.update(data)
    }

    package consuming func finalize() -> Secret {
        state.value.finish()
        return Secret(littleEndian: state.value.hash, 4..<8)
    }

    package borrowing func copy() -> Streebog256 {
        Streebog256(state.value)
    }
}

/// The hash function GOST R 34.11-2012 with a hash code of 512 bits (RFC 6986).
package struct Streebog512: HashFunction, ~Copyable {
    package static var digestSize: Int { 64 }
    package static var blockSize: Int { 64 }

    private var state: Wiped<StreebogState>

    package init() {
        state = Wiped(StreebogState(initial: 0))
    }

    private init(_ state: StreebogState) {
        self.state = Wiped(state)
    }

    package mutating func update(_ data: Span<UInt8>) {
        state.value.update(data)
    }

    package consuming func finalize() -> Secret {
        state.value.finish()
        return Secret(littleEndian: state.value.hash, 0..<8)
    }

    package borrowing func copy() -> Streebog512 {
        Streebog512(state.value)
    }
}
