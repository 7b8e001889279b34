// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("TLSTREE and ESPTREE")
struct KeyTreeTests {
    private let trees: [String: TLSTree] = [
        "magma": .magmaCTROMAC, "kuznyechik": .kuznyechikCTROMAC,
        "kuznyechik-mgm-s (RFC 9367)": .kuznyechikMGMS, "magma-mgm-l (RFC 9367)": .magmaMGML,
    ]

    @Test("TLSTREE gives each record its key (RFC 9189, A.1.1; RFC 9367)")
    func tlsTree() throws {
        let vectors = try JSON(vectors: "kdf_gost.json").vectors.list.filter { $0.alg.text == "TLSTREE" }
        #expect(vectors.count == 16)
        for vector in vectors {
            let tree = try #require(trees[vector.cipher.text ?? ""])
            let number = try UInt64(#require(vector.seqnum.number))
            let root = vector.key.bytes
            let key = try tree.key(root: root.span, sequenceNumber: number)
            #expect(key.array == vector.out.bytes, "\(vector.name)")
            if vector.level1.isNull { continue }

            let masks = vector.consts.list.compactMap { UInt64($0.text ?? "", radix: 16) }
            let level1 = derive(root, "level1", number & masks[0])
            #expect(level1 == vector.level1.bytes, "\(vector.name)")
            let level2 = derive(level1, "level2", number & masks[1])
            #expect(level2 == vector.level2.bytes, "\(vector.name)")
            #expect(derive(level2, "level3", number & masks[2]) == vector.out.bytes, "\(vector.name)")
        }
    }

    private func derive(_ key: [UInt8], _ label: String, _ number: UInt64) -> [UInt8] {
        let label = Array(label.utf8)
        let seed = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        return KDF.derive(key: key.span, label: label.span, seed: seed.span).array
    }

    @Test(
        "Records share a key as long as the bits that a suite's C_3 selects are the same (RFC 9189, 4.1; RFC 9367, 4.1)",
        arguments: [
            (TLSTree.kuznyechikCTROMAC, UInt64(64)), (.magmaCTROMAC, 4096), (.kuznyechikMGML, 8192), (.magmaMGML, 128),
            (.kuznyechikMGMS, 8), (.magmaMGMS, 1),
        ])
    func recordsOfOneKey(tree: TLSTree, count: UInt64) throws {
        let root = [UInt8](repeating: 7, count: 32)
        let first = try tree.key(root: root.span, sequenceNumber: 0).array
        #expect(try tree.key(root: root.span, sequenceNumber: count - 1).array == first)
        #expect(try tree.key(root: root.span, sequenceNumber: count).array != first)
    }

    @Test("ESPTREE gives each packet its key (RFC 9227, A)")
    func espTree() throws {
        let keys = try JSON(vectors: "kdf_gost.json").vectors.list.filter { $0.alg.text == "ESPTREE" }
        let packets = try JSON(vectors: "mgm_esp.json").vectors.list
        #expect(keys.count == 8 && packets.count == 8)
        for vector in keys + packets {
            let (root, i1, i2, i3) = (vector.key.bytes, vector.i1.bytes, vector.i2.bytes, vector.i3.bytes)
            let key = try ESPTree.key(
                root: root.span, i1: i1[0], i2: UInt16(i2[0]) << 8 | UInt16(i2[1]),
                i3: UInt16(i3[0]) << 8 | UInt16(i3[1]))
            #expect(key.array == (vector.out.isNull ? vector.k_msg : vector.out).bytes, "\(vector.name)")
        }
    }

    @Test("A root key has 32 bytes")
    func rootKey() {
        for count in [0, 31, 33, 64] {
            let root = [UInt8](repeating: 1, count: count)
            let tls = outcome { () throws(GOSTError) in
                try TLSTree.magmaMGMS.key(root: root.span, sequenceNumber: 0)
            }
            let esp = outcome { () throws(GOSTError) in try ESPTree.key(root: root.span, i1: 0, i2: 0, i3: 0) }
            #expect(tls == .failure(.invalidKeyLength) && esp == .failure(.invalidKeyLength))
        }
    }
}
