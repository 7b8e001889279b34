// SPDX-License-Identifier: Apache-2.0
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
