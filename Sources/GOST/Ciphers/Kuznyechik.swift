// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// The block cipher Kuznyechik of GOST R 34.12-2015 (RFC 7801).
///
/// No table is indexed by data: S is a circuit over bit planes. Many blocks are kept in bit planes throughout; a few
/// are computed with the shorter latency. Constant time in keys and blocks.
package struct Kuznyechik: ~Copyable, BlockCipher {
    /// A block or a round key: 16 bytes as two words, the least significant byte of the first word first.
    typealias Block = SIMD2<UInt64>

    /// K_1…K_10.
    typealias RoundKeys = InlineArray<10, Block>

    /// The bytes of a block.
    package static var blockSize: Int { 16 }

    private var keys: SecretBox<RoundKeys>

    /// A cipher with the first 32 bytes of `key`; bytes that are missing count as zero. Constant time in its secret
    /// inputs.
    package init(padding key: Span<UInt8>) {
        var keys = RoundKeys(repeating: Block())
        keys[0] = Block(key.littleEndianUInt64(at: 0), key.littleEndianUInt64(at: 8))
        keys[1] = Block(key.littleEndianUInt64(at: 16), key.littleEndianUInt64(at: 24))
        self.keys = SecretBox(keys)
        if !self.keys.schedule(Self.constants) { schedule() }
    }

    private init(_ keys: RoundKeys) { self.keys = SecretBox(keys) }

    /// A second cipher with the same key. Constant time in its secret inputs.
    package func copy() -> Kuznyechik { Kuznyechik(keys.value) }

    /// C_1…C_32 (RFC 7801, 4.3).
    private static let constants = (1...32).map { Linear.forward(Block(0, $0 << 56)) }

    /// The key schedule (RFC 7801, 4.3): after every eight steps of a Feistel network, a pair of round keys.
    private mutating func schedule() {
        var (left, right) = (keys.value[0], keys.value[1])
        for (step, constant) in Self.constants.enumerated() {
            var few = FewBlocks(left ^ constant)
            few.substitute()
            few.mix()
            (left, right) = (few.rows[0] ^ right, left)
            guard step % 8 == 7 else { continue }
            keys.value[step / 4 + 1] = left
            keys.value[step / 4 + 2] = right
        }
    }

    /// Enciphers every whole block of 16 bytes in place (RFC 7801, 4.4). Constant time in its secret inputs.
    package func encrypt(_ blocks: inout MutableSpan<UInt8>) {
        if keys.encrypt(&blocks) { return }
        transform(&blocks, few: { $0.encrypt(keys.value) }, many: { $0.encrypt(keys.value) })
    }

    /// Deciphers every whole block of 16 bytes in place (RFC 7801, 4.5). Constant time in its secret inputs.
    package func decrypt(_ blocks: inout MutableSpan<UInt8>) {
        if keys.decrypt(&blocks) { return }
        transform(&blocks, few: { $0.decrypt(keys.value) }, many: { $0.decrypt(keys.value) })
    }

    /// Adds enciphered counters to whole blocks of 16 bytes in place, if there is a kernel for it. Constant time in its
    /// secret inputs.
    package func addGamma(to blocks: inout MutableSpan<UInt8>, counter: inout Counter) -> Bool {
        keys.addCounters(to: &blocks, counter: &counter)
    }

    /// Links whole blocks of 16 bytes in place, if there is a kernel for it. Constant time in its secret inputs.
    package func link(
        _ blocks: inout MutableSpan<UInt8>, by chain: Chain, register: inout Secret
    ) -> Bool {
        keys.link(&blocks, by: chain, register: &register)
    }

    /// Adds whole blocks of 16 bytes to `register` and enciphers it after each of them, if there is a kernel for it.
    /// Constant time in its secret inputs.
    package func absorb(_ blocks: Span<UInt8>, into register: inout Secret) -> Bool {
        keys.absorb(blocks, into: &register)
    }
}

extension Kuznyechik {
    /// From this number of blocks on, 128 blocks at once take less time than eight by eight.
    private static let manyBlocks = 12

    /// Applies one of both ways to all blocks.
    @inline(__always)
    private func transform(
        _ blocks: inout MutableSpan<UInt8>, few: (inout FewBlocks) -> Void, many: (inout ManyBlocks) -> Void
    ) {
        let end = blocks.count / 16
        var first = 0
        while end - first >= Self.manyBlocks {
            let count = min(end - first, 128)
            var batch = ManyBlocks()
            for index in 0..<count { batch[index] = Self.load(blocks, first + index) }
            many(&batch)
            for index in 0..<count { Self.store(batch[index], &blocks, first + index) }
            first += count
        }
        while first < end {
            let count = min(end - first, 8)
            var batch = FewBlocks()
            for index in 0..<count { batch.append(Self.load(blocks, first + index)) }
            few(&batch)
            for index in 0..<count { Self.store(batch.rows[index], &blocks, first + index) }
            first += count
        }
    }

    @inline(__always)
    private static func load(_ blocks: borrowing MutableSpan<UInt8>, _ index: Int) -> Block {
        Block(blocks.word(at: 16 * index), blocks.word(at: 16 * index + 8))
    }

    @inline(__always)
    private static func store(_ block: Block, _ blocks: inout MutableSpan<UInt8>, _ index: Int) {
        blocks.setWord(block[0], at: 16 * index)
        blocks.setWord(block[1], at: 16 * index + 8)
    }
}

extension Kuznyechik {
    /// Up to eight blocks of Kuznyechik side by side, a block in each row.
    struct FewBlocks: BitwiseCopyable {
        var rows = Streebog.Rows(repeating: Block())

        /// The number of blocks that have come.
        private(set) var count = 0

        init() {}

        init(_ block: Block) { append(block) }

        /// Adds one block more, as long as there are fewer than eight.
        mutating func append(_ block: Block) {
            guard count < 8 else { return }
            rows[count] = block
            count += 1
        }

        mutating func encrypt(_ keys: RoundKeys) {
            for round in 0..<9 {
                add(keys[round])
                substitute()
                mix()
            }
            add(keys[9])
        }

        mutating func decrypt(_ keys: RoundKeys) {
            add(keys[9])
            for round in (0..<9).reversed() {
                for index in 0..<count { rows[index] = Linear.back(rows[index]) }
                Streebog.transposeBits(&rows)
                Kuznyechik.substituteBack(&rows)
                Streebog.transposeBits(&rows)
                add(keys[round])
            }
        }

        private mutating func add(_ key: Block) {
            for index in 0..<count { rows[index] ^= key }
        }

        /// S: the rows are turned into bit planes, and back.
        mutating func substitute() {
            guard count > 1 else {
                rows[0] = Self.substitute(rows[0])
                return
            }
            Streebog.transposeBits(&rows)
            Streebog.substitute(&rows)
            Streebog.transposeBits(&rows)
        }

        /// S on one block, whose bits are taken apart with less work than those of eight.
        @inline(__always)
        private static func substitute(_ block: Block) -> Block {
            let ones = Block(repeating: 0x0101_0101_0101_0101)
            var planes = Streebog.Rows { bit in (block &>> UInt64(bit)) & ones }
            Streebog.substitute(&planes)
            var result = Block()
            for bit in 0..<8 { result |= (planes[bit] & ones) &<< UInt64(bit) }
            return result
        }

        /// L.
        mutating func mix() {
            for index in 0..<count { rows[index] = Linear.forward(rows[index]) }
        }
    }
}

extension Kuznyechik {
    /// 128 blocks of Kuznyechik in bit planes: bit i of plane b of byte m is bit b of byte m of block i.
    struct ManyBlocks: BitwiseCopyable {
        typealias Octet = Streebog.Rows

        private var bytes = InlineArray<16, Octet>(repeating: Octet(repeating: Block()))

        init() {}

        /// The block at `index`, before ``transpose()`` or after it has been undone.
        subscript(index: Int) -> Block {
            @inline(__always) get { bytes[index >> 3][index & 7] }
            @inline(__always) set { bytes[index >> 3][index & 7] = newValue }
        }

        mutating func encrypt(_ keys: RoundKeys) {
            transpose()
            for round in 0..<9 {
                add(keys[round])
                for index in 0..<16 { Streebog.substitute(&bytes[index]) }
                for step in (0..<16).reversed() { mix(step) }
            }
            add(keys[9])
            transpose()
        }

        mutating func decrypt(_ keys: RoundKeys) {
            transpose()
            add(keys[9])
            for round in (0..<9).reversed() {
                for step in 0..<16 { mix(step) }
                for index in 0..<16 { Kuznyechik.substituteBack(&bytes[index]) }
                add(keys[round])
            }
            transpose()
        }

        private mutating func add(_ key: Block) {
            for index in 0..<128 {
                let bit = (key[index >> 6] >> UInt64(index & 63)) & 1
                self[index] ^= Block(repeating: 0 &- bit)
            }
        }

        /// One step of the shift register that makes L (RFC 7801, 4.2), on the register as a ring: nothing moves but
        /// the place of the byte that takes the sum. The same step undoes it.
        private mutating func mix(_ place: Int) {
            @inline(__always) func byte(_ index: Int) -> Octet { bytes[(place + 1 + index) & 15] }
            @inline(__always) func pair(_ index: Int) -> Octet { byte(index) ^ byte(14 - index) }

            // The coefficients 148, 32, 133, 16, 194, 192, 1, 251, 1, …, 148 by their bits, the highest first.
            let (by148, by133, by194, by251) = (pair(0), pair(2), pair(4), byte(7))
            let high = by194 ^ pair(5) ^ by251
            let both = by148 ^ by133
            var sum = (both ^ high).timesT ^ high
            sum = sum.timesT ^ pair(1) ^ by251
            sum = sum.timesT ^ by148 ^ pair(3) ^ by251
            sum = sum.timesT ^ by251
            sum = sum.timesT ^ both
            sum = sum.timesT ^ by194 ^ by251
            bytes[place] = bytes[place] ^ sum.timesT ^ by133 ^ pair(6) ^ by251
        }
    }
}

/// Exchanging rows and columns.
extension Kuznyechik.ManyBlocks {
    /// Turns blocks into bit planes, and back.
    mutating func transpose() {
        exchange(distance: 1, mask: 0x5555_5555_5555_5555)
        exchange(distance: 2, mask: 0x3333_3333_3333_3333)
        exchange(distance: 4, mask: 0x0F0F_0F0F_0F0F_0F0F)
        exchange(distance: 8, mask: 0x00FF_00FF_00FF_00FF)
        exchange(distance: 16, mask: 0x0000_FFFF_0000_FFFF)
        exchange(distance: 32, mask: 0x0000_0000_FFFF_FFFF)
        for index in 0..<64 {
            (self[index], self[index + 64]) = (
                SIMD2(self[index][0], self[index + 64][0]), SIMD2(self[index][1], self[index + 64][1])
            )
        }
    }

    /// Exchanges the bits at `mask` in one row with those `distance` places lower in the row `distance` before it.
    @inline(__always)
    private mutating func exchange(distance: Int, mask: UInt64) {
        let shift = SIMD2(repeating: UInt64(distance))
        for low in 0..<128 where low & distance == 0 {
            let difference = ((self[low] &>> shift) ^ self[low + distance]) & SIMD2(repeating: mask)
            self[low + distance] ^= difference
            self[low] ^= difference &<< shift
        }
    }
}

extension InlineArray where count == 8, Element == SIMD2<UInt64> {
    @inline(__always)
    fileprivate static func ^ (left: Self, right: Self) -> Self {
        InlineArray { left[$0] ^ right[$0] }
    }

    /// The product with t in GF(2^8), where t^8 + t^7 + t^6 + t + 1 = 0.
    @inline(__always)
    fileprivate var timesT: Self {
        [self[7], self[0] ^ self[7], self[1], self[2], self[3], self[4], self[5] ^ self[7], self[6] ^ self[7]]
    }
}
