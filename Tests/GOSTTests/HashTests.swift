import GOST
import Secrets
import TestSupport
import Testing

@Suite("Hash functions, HMAC and key derivation")
struct HashTests {
    @Test("Streebog gives the hash codes of RFC 6986")
    func streebog() throws {
        for vector in try JSON(vectors: "streebog.json").vectors.list {
            let hash =
                vector.bits.number == 256 ? Streebog256.hash(vector.msg.bytes) : Streebog512.hash(vector.msg.bytes)
            #expect(hash.hex == vector.hash.text, "\(vector.id.text ?? "")")
        }
    }

    @Test("GOST R 34.11-94 gives the hash codes of RFC 5831 with both S-boxes")
    func gostR341194() throws {
        for vector in try JSON(vectors: "gostr341194.json").vectors.list {
            let sBox = try #require(SBox.all.first { $0.name == vector.sbox.text })
            var hash = GOSTR341194(sBox: sBox)
            hash.update(vector.msg.bytes.span)
            let digest = hash.finalize()
            #expect(digest.hex == vector.hash.text, "\(vector.id.text ?? "")")
        }
    }
}

extension Secret {
    var hex: String { array.hex }
    var array: [UInt8] { bytes.indices.map { bytes[$0] } }
}

extension Secret {
    func equals(_ json: JSON) -> Bool { hex == json.text }
}
