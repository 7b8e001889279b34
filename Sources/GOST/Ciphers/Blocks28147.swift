// SPDX-License-Identifier: Apache-2.0

/// Four keys of GOST 28147-89 side by side, one in each lane, as eight words of 32 bits (RFC 5830, 5.1).
struct Keys28147: BitwiseCopyable, Sendable {
    fileprivate var words = InlineArray<8, SIMD4<UInt32>>(repeating: SIMD4())

    /// The same key of 32 bytes four times.
    init(repeating key: Span<UInt8>) {
        for index in 0..<8 { words[index] = SIMD4(repeating: key.littleEndianUInt32(at: 4 * index)) }
    }

    /// The same key of 32 bytes four times, the words beginning with the most significant byte (RFC 8891, 4.2).
    init(bigEndian key: Span<UInt8>) {
        for index in 0..<8 { words[index] = SIMD4(repeating: key.littleEndianUInt32(at: 4 * index).byteSwapped) }
    }

    /// Four keys; `pairs[i]` holds word i of each in its lower half and word i + 4 in its upper half.
    @inline(__always)
    init(pairs: InlineArray<4, SIMD4<UInt64>>) {
        for index in 0..<4 {
            words[index] = SIMD4(truncatingIfNeeded: pairs[index])
            words[index + 4] = SIMD4(truncatingIfNeeded: pairs[index] &>> 32)
        }
    }
}

/// Four blocks of GOST 28147-89 side by side: the kernel of the cipher's modes and of GOST R 34.11-94.
///
/// Constant time in blocks and keys.
struct Blocks28147: BitwiseCopyable, Sendable {
    /// N1 and N2 of every block: bytes 0…3 and 4…7.
    private var n1: SIMD4<UInt32>
    private var n2: SIMD4<UInt32>

    /// Blocks as numbers of 64 bits, byte 0 the least significant.
    @inline(__always)
    init(_ blocks: SIMD4<UInt64>) {
        n1 = SIMD4(truncatingIfNeeded: blocks)
        n2 = SIMD4(truncatingIfNeeded: blocks &>> 32)
    }

    /// The blocks as numbers of 64 bits.
    @inline(__always)
    var numbers: SIMD4<UInt64> {
        SIMD4<UInt64>(truncatingIfNeeded: n1) | SIMD4<UInt64>(truncatingIfNeeded: n2) &<< 32
    }

    /// Applies `body` to all whole blocks in place, four by four; `bigEndian` if their most significant byte comes
    /// first.
    @inline(__always)
    static func transform(
        _ blocks: inout MutableSpan<UInt8>, bigEndian: Bool = false, _ body: (inout Blocks28147) -> Void
    ) {
        let count = blocks.count / 8
        for first in stride(from: 0, to: count, by: 4) {
            let lanes = min(count - first, 4)
            var numbers = SIMD4<UInt64>()
            for lane in 0..<lanes {
                let number = blocks.word(at: 8 * (first + lane))
                numbers[lane] = bigEndian ? number.byteSwapped : number
            }
            var four = Blocks28147(numbers)
            body(&four)
            let result = four.numbers
            for lane in 0..<lanes {
                blocks.setWord(bigEndian ? result[lane].byteSwapped : result[lane], at: 8 * (first + lane))
            }
        }
    }

    /// The simple substitution mode, enciphering (RFC 5830, 5.1): K1…K8 three times, then K8…K1.
    mutating func encrypt(_ keys: Keys28147, _ substitution: Substitution) {
        for _ in 0..<3 { ascend(keys, substitution) }
        descend(keys, substitution)
        swap(&n1, &n2)
    }

    /// The simple substitution mode, deciphering (RFC 5830, 5.2): K1…K8, then K8…K1 three times.
    mutating func decrypt(_ keys: Keys28147, _ substitution: Substitution) {
        ascend(keys, substitution)
        for _ in 0..<3 { descend(keys, substitution) }
        swap(&n1, &n2)
    }

    /// The sixteen rounds of the authentication code (RFC 5830, 8): K1…K8 twice.
    mutating func authenticate(_ keys: Keys28147, _ substitution: Substitution) {
        for _ in 0..<2 { ascend(keys, substitution) }
    }

    @inline(__always)
    private mutating func ascend(_ keys: Keys28147, _ substitution: Substitution) {
        for index in 0..<4 { twoRounds(keys.words[2 * index], keys.words[2 * index + 1], substitution) }
    }

    @inline(__always)
    private mutating func descend(_ keys: Keys28147, _ substitution: Substitution) {
        for index in 0..<4 { twoRounds(keys.words[7 - 2 * index], keys.words[6 - 2 * index], substitution) }
    }

    /// Two rounds; the halves change places by changing roles.
    @inline(__always)
    private mutating func twoRounds(_ first: SIMD4<UInt32>, _ second: SIMD4<UInt32>, _ substitution: Substitution) {
        n2 ^= Self.rotate(substitution(n1 &+ first))
        n1 ^= Self.rotate(substitution(n2 &+ second))
    }

    /// The shift by eleven places towards the high bits.
    @inline(__always)
    private static func rotate(_ words: SIMD4<UInt32>) -> SIMD4<UInt32> {
        (words &<< 11) | (words &>> 21)
    }
}
