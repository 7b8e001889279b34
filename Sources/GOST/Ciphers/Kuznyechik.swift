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

    private var keys: Wiped<RoundKeys>

    /// A cipher with the first 32 bytes of `key`; bytes that are missing count as zero. Constant time in its secret
    /// inputs.
    package init(padding key: Span<UInt8>) {
        var keys = RoundKeys(repeating: Block())
        keys[0] = Block(key.littleEndianUInt64(at: 0), key.littleEndianUInt64(at: 8))
        keys[1] = Block(key.littleEndianUInt64(at: 16), key.littleEndianUInt64(at: 24))
        self.keys = Wiped(keys)
        if !self.keys.schedule(Self.constants) { schedule() }
    }

    private init(_ keys: RoundKeys) { self.keys = Wiped(keys) }

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
