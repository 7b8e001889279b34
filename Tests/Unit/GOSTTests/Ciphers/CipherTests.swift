// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("GOST 28147-89")
struct CipherTests {
    @Test("Every published S-box has its name, object identifier and rows")
    func sBoxes() throws {
        let vectors = try JSON(vectors: "sboxes.json").vectors.list
        #expect(vectors.count == 8 && SBox.all.count == 8)
        for vector in vectors {
            let sBox = try #require(SBox.all.first { $0.name == vector.name })
            #expect(sBox.oid == derObjectIdentifier(vector.oid.text ?? ""))
        }
    }

    @Test("ECB enciphers and deciphers the published blocks under every S-box")
    func ecb() throws {
        let vectors = try JSON(vectors: "gost28147_ecb.json").vectors.list
        #expect(vectors.count == 14 && Set(vectors.map(\.sbox.text)).count == 8)
        for vector in vectors {
            let (key, plaintext, ciphertext) = (vector.key.bytes, vector.pt.bytes, vector.ct.bytes)
            let cipher = try GOST28147(key: key.span, sBox: vector.sBox)
            #expect(try cipher.encryptECB(plaintext.span).array == ciphertext, "\(vector.name)")
            #expect(try cipher.decryptECB(ciphertext.span).array == plaintext, "\(vector.name)")
        }
    }

    @Test("CNT adds the published gamma, with and without key meshing")
    func cnt() throws {
        let vectors = try JSON(vectors: "gost28147_cnt.json").vectors.list
        #expect(vectors.count == 56)
        for vector in vectors where vector.pt_zero_bytes.isNull {
            var cipher = try gamma(vector)
            #expect(cipher.apply(vector.pt.bytes.span).array == vector.ct.bytes, "\(vector.name)")
        }
    }

    @Test("CNT gives the same bytes however the message is cut")
    func cntInPieces() throws {
        for vector in try JSON(vectors: "gost28147_cnt.json").vectors.list where vector.pt.bytes.count > 3000 {
            let plaintext = vector.pt.bytes
            var cipher = try gamma(vector)
            var ciphertext: [UInt8] = []
            var (start, length) = (0, 1)
            while start < plaintext.count {
                let piece = plaintext[start..<min(start + length, plaintext.count)]
                ciphertext += cipher.apply(Array(piece).span).array
                (start, length) = (start + length, length * 2 % 61 + 1)
            }
            #expect(ciphertext == vector.ct.bytes, "\(vector.name)")
        }
    }

    @Test("CNT with key meshing holds over five million bytes")
    func longMessage() throws {
        let vector = try #require(
            try JSON(vectors: "gost28147_cnt.json").vectors.list.first { $0.pt_zero_bytes.number == 5_242_888 })
        var cipher = try gamma(vector)
        let zeros = [UInt8](repeating: 0, count: 5_242_888)
        #expect(cipher.apply(zeros.span).array.suffix(16) == vector.last16_ct.bytes[...])
    }

    private func gamma(_ vector: JSON) throws -> GOST28147CNT {
        let (key, iv) = (vector.key.bytes, vector.iv.bytes)
        let meshing = vector.meshing.number == 1
        return try GOST28147CNT(key: key.span, iv: iv.span, sBox: vector.sBox, meshing: meshing)
    }

    @Test("CryptoPro Key Meshing replaces the key by the deciphered constant (RFC 4357, 2.3.2)")
    func meshing() throws {
        let vectors = try JSON(vectors: "gost28147_keymeshing.json").vectors.list
        #expect(vectors.count == 5)
        for vector in vectors {
            let (key, nextKey, iv) = (vector.key.bytes, vector.next_key.bytes, vector.iv.bytes)
            let meshed = try GOST28147(key: key.span, sBox: vector.sBox).meshed()
            let next = try GOST28147(key: nextKey.span, sBox: vector.sBox)
            let (given, expected) = try (meshed.encryptECB(key.span).array, next.encryptECB(key.span).array)
            #expect(given == expected, "\(vector.name)")
            #expect(try meshed.encryptECB(iv.span).array == vector.next_iv.bytes, "\(vector.name)")
        }
    }

    @Test("Keys of other than 32 bytes, vectors of other than 8, and parts of blocks are refused")
    func lengths() throws {
        let key = [UInt8](repeating: 1, count: 33)
        for count in [0, 31, 33] {
            #expect(throws: GOSTError.invalidKeyLength) {
                _ = try GOST28147(key: key.span.extracting(first: count), sBox: .cryptoProA)
            }
        }
        for count in [0, 7, 9] {
            #expect(throws: GOSTError.invalidIVLength) {
                _ = try GOST28147CNT(
                    key: key.span.extracting(first: 32), iv: key.span.extracting(first: count), sBox: .cryptoProA,
                    meshing: false)
            }
        }
        let cipher = try GOST28147(key: key.span.extracting(first: 32), sBox: .cryptoProA)
        #expect(outcome { () throws(GOSTError) in try cipher.encryptECB(key.span) } == .failure(.invalidLength))
        #expect(outcome { () throws(GOSTError) in try cipher.decryptECB(key.span) } == .failure(.invalidLength))
    }
}
