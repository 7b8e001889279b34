// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Modes of GOST 28147-89")
struct Mode28147Tests {
    @Test("CFB gives the published ciphertexts and plaintexts, whole and in pieces")
    func cfb() throws {
        let vectors = try JSON(vectors: "gost28147_cfb.json").vectors.list
        #expect(vectors.count == 55)
        for vector in vectors where vector.pt_zero_bytes.isNull {
            let (plaintext, ciphertext) = (vector.pt.bytes, vector.ct.bytes)
            for seed in [nil, 3] {
                var forward = try cfb(vector)
                var back = try cfb(vector)
                #expect(Pieces(plaintext, seed: seed).map { forward.encrypt($0.span) } == ciphertext, "\(vector.name)")
                #expect(Pieces(ciphertext, seed: seed).map { back.decrypt($0.span) } == plaintext, "\(vector.name)")
            }
        }
    }

    @Test("CFB with key meshing holds over five million bytes")
    func longCFB() throws {
        for vector in try JSON(vectors: "gost28147_cfb.json").vectors.list {
            guard let count = vector.pt_zero_bytes.number, count < 1 << 30 else { continue }
            var mode = try cfb(vector)
            let zeros = [UInt8](repeating: 0, count: count)
            #expect(mode.encrypt(zeros.span).array.suffix(16) == vector.last16_ct.bytes[...], "\(vector.name)")
        }
    }

    private func cfb(_ vector: JSON) throws -> GOST28147CFB {
        let (key, iv) = (vector.key.bytes, vector.iv.bytes)
        return try GOST28147CFB(key: key.span, iv: iv.span, sBox: vector.sBox, meshing: vector.meshing.number == 1)
    }

    @Test("CBC gives the published ciphertexts and plaintexts; with key meshing, by the letter of RFC 4357, 2.3.2")
    func cbc() throws {
        let vectors = try JSON(vectors: "gost28147_cbc.json").vectors.list
        #expect(vectors.count == 32)
        for vector in vectors {
            let (plaintext, ciphertext) = (vector.pt.bytes, vector.ct.bytes)
            for seed in [nil, 3] {
                var forward = try cbc(vector)
                var back = try cbc(vector)
                let enciphered = try Pieces(plaintext, seed: seed, unit: 8).map { try forward.encrypt($0.span) }
                let deciphered = try Pieces(ciphertext, seed: seed, unit: 8).map { try back.decrypt($0.span) }
                #expect(enciphered == ciphertext && deciphered == plaintext, "\(vector.name)")
            }
        }
    }

    private func cbc(_ vector: JSON) throws -> GOST28147CBC {
        let (key, iv) = (vector.key.bytes, vector.iv.bytes)
        return try GOST28147CBC(key: key.span, iv: iv.span, sBox: vector.sBox, meshing: vector.meshing.number == 1)
    }

    @Test("IMIT gives the published codes, whole and in pieces, of one block as of two")
    func imit() throws {
        let vectors = try JSON(vectors: "gost28147_imit.json").vectors.list
        #expect(vectors.count == 67)
        for vector in vectors where (vector.data_zero_bytes.number ?? 0) < 1 << 30 {
            for seed in [nil, 3] {
                let (four, eight) = (try imit(vector, 4, seed), try imit(vector, 8, seed))
                guard vector.divergent.isNull else {
                    // The codes of libraries that leave a message of one block at that.
                    #expect(four != vector.mac4.bytes && eight != vector.mac8.bytes, "\(vector.name)")
                    continue
                }
                #expect(four == vector.mac4.bytes, "\(vector.name)")
                if !vector.mac8.isNull { #expect(eight == vector.mac8.bytes, "\(vector.name)") }
            }
        }
    }

    private func imit(_ vector: JSON, _ tagLength: Int, _ seed: Int?) throws -> [UInt8] {
        let (key, iv) = (vector.key.bytes, vector.iv.bytes)
        var code = try GOST28147IMIT(
            key: key.span, iv: iv.span, sBox: vector.sBox, meshing: vector.meshing.number == 1, tagLength: tagLength)
        var message = vector.data.bytes
        if let count = vector.data_zero_bytes.number { message = [UInt8](repeating: 0, count: count) }
        for _ in 0..<(vector.data_repeat.count.number ?? 0) { message += vector.data_repeat.unit.bytes }
        Pieces(message, seed: seed).forEach { code.update($0.span) }
        return code.finalize().array
    }

    @Test("A key of other than 32 bytes is refused", arguments: [0, 31, 33])
    func keyLength(count: Int) {
        let (key, iv) = (bytes(count), bytes(8))
        #expect(throws: GOSTError.invalidKeyLength) {
            _ = try GOST28147CFB(key: key.span, iv: iv.span, sBox: .tc26Z, meshing: false)
        }
        #expect(throws: GOSTError.invalidKeyLength) {
            _ = try GOST28147CBC(key: key.span, iv: iv.span, sBox: .tc26Z, meshing: false)
        }
        #expect(throws: GOSTError.invalidKeyLength) {
            _ = try GOST28147IMIT(key: key.span, sBox: .tc26Z, meshing: false)
        }
    }

    @Test("An initialisation vector of other than 8 bytes is refused", arguments: [1, 7, 9])
    func ivLength(count: Int) {
        let (key, iv) = (bytes(32), bytes(count))
        #expect(throws: GOSTError.invalidIVLength) {
            _ = try GOST28147CFB(key: key.span, iv: iv.span, sBox: .tc26Z, meshing: false)
        }
        #expect(throws: GOSTError.invalidIVLength) {
            _ = try GOST28147CBC(key: key.span, iv: iv.span, sBox: .tc26Z, meshing: false)
        }
        #expect(throws: GOSTError.invalidIVLength) {
            _ = try GOST28147IMIT(key: key.span, iv: iv.span, sBox: .tc26Z, meshing: false)
        }
    }

    @Test("A code of no bytes or of more than a block is refused", arguments: [-1, 0, 9])
    func tagLength(count: Int) {
        let key = bytes(32)
        #expect(throws: GOSTError.invalidLength) {
            _ = try GOST28147IMIT(key: key.span, sBox: .tc26Z, meshing: false, tagLength: count)
        }
    }

    @Test("CBC refuses a part of a block")
    func partOfBlock() throws {
        let (key, iv) = (bytes(32), bytes(8))
        var mode = try GOST28147CBC(key: key.span, iv: iv.span, sBox: .tc26Z, meshing: false)
        #expect(throws: GOSTError.invalidLength) { _ = try mode.encrypt(bytes(33).span) }
        #expect(throws: GOSTError.invalidLength) { _ = try mode.decrypt(bytes(33).span) }
    }
}
