// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

/// The trees of protocols are chains of one function: each level's key comes from the key above.
@Suite("Chains of KDF_GOSTR3411_2012_256")
struct KeyTreeTests {
    @Test("The keys of records are the published ones (TLSTREE: RFC 9189, A.1.1; RFC 9367)")
    func records() throws {
        let vectors = try JSON(vectors: "kdf_gost.json").vectors.list.filter { $0.alg.text == "TLSTREE" }
        #expect(vectors.count == 16)
        for vector in vectors {
            let number = try UInt64(#require(vector.seqnum.number))
            let seeds = vector.consts.list.compactMap { UInt64($0.text ?? "", radix: 16) }.map { mask in
                (0..<8).map { UInt8(truncatingIfNeeded: (number & mask) >> (56 - 8 * $0)) }
            }
            let keys = keys(vector.key.bytes, seeds)
            #expect(keys.count == 3 && keys.last == vector.out.bytes, "\(vector.name)")
            if vector.level1.isNull { continue }
            #expect(keys.prefix(2) == [vector.level1.bytes, vector.level2.bytes], "\(vector.name)")
        }
    }

    @Test("The keys of packets are the published ones (ESPTREE: RFC 9227, A)")
    func packets() throws {
        let vectors = try JSON(vectors: "kdf_gost.json").vectors.list.filter { $0.alg.text == "ESPTREE" }
        let packets = try JSON(vectors: "mgm_esp.json").vectors.list
        #expect(vectors.count == 8 && packets.count == 8)
        for vector in vectors + packets {
            let keys = keys(vector.key.bytes, [[0] + vector.i1.bytes, vector.i2.bytes, vector.i3.bytes])
            #expect(keys.last == (vector.out.isNull ? vector.k_msg : vector.out).bytes, "\(vector.name)")
        }
    }

    /// The keys of all levels, whose labels are level1, level2, …
    private func keys(_ root: [UInt8], _ seeds: [[UInt8]]) -> [[UInt8]] {
        var (key, keys) = (root, [[UInt8]]())
        for (level, seed) in zip(1..., seeds) {
            let label = Array("level\(level)".utf8)
            key = KDF.derive(key: key.span, label: label.span, seed: seed.span).array
            keys.append(key)
        }
        return keys
    }
}
