// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Hash functions")
struct HashTests {
    @Test("Streebog gives the hash codes of RFC 6986, 10")
    func streebog() throws {
        let vectors = try JSON(vectors: "streebog.json").vectors.list
        #expect(vectors.count == 29)
        for vector in vectors {
            let hash =
                vector.bits.number == 256 ? Streebog256.hash(vector.msg.bytes) : Streebog512.hash(vector.msg.bytes)
            #expect(hash == vector.hash.bytes, "\(vector.name)")
        }
    }

    @Test("GOST R 34.11-94 gives the hash codes of RFC 5831, 7.3, with either S-box of RFC 4357")
    func gostR341194() throws {
        let vectors = try JSON(vectors: "gostr341194.json").vectors.list
        #expect(vectors.count == 41)
        for vector in vectors {
            var hash = HashState(sBox: try vector.sBox)
            hash.update(vector.msg.bytes.span)
            #expect(hash.finalize().array == vector.hash.bytes, "\(vector.name)")
        }
    }

    @Test("The empty message has no block of its own in GOST R 34.11-94")
    func emptyMessage() {
        #expect(
            GOSTR341194.hash([]).hex == "981e5f3ca30c841487830f84fb433e13ac1101569b9c13584ac483234cd656c0")
    }

    @Test("How a message is cut into pieces does not change its hash code")
    func pieces() {
        #expect(inPieces(GOSTR341194.self) == [])
        #expect(inPieces(Streebog256.self) == [])
        #expect(inPieces(Streebog512.self) == [])
    }

    /// The lengths of first pieces that gave another hash code.
    private func inPieces<Hash: HashFunction>(_: Hash.Type) -> [Int] {
        let message = (0..<200).map { UInt8($0) }
        let whole = Hash.hash(message)
        return (0...200).filter { cut in
            var hash = HashState(Hash.algorithm)
            hash.update(message.span.extracting(first: cut))
            var branch = hash.copy()
            hash.update([0xFF].span)
            branch.update(message.span.extracting(droppingFirst: cut))
            return branch.finalize().array != whole
        }
    }
}
