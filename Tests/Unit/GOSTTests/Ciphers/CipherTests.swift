// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Ciphers and their modes")
struct CipherTests {
    @Test("Every published S-box has its name and object identifier")
    func sBoxes() throws {
        let vectors = try JSON(vectors: "sboxes.json").vectors.list
        #expect(vectors.count == 8 && SBox.all.count == 8)
        for vector in vectors {
            let sBox = try #require(SBox.all.first { $0.name == vector.name })
            #expect(sBox.oid == derObjectIdentifier(vector.oid.text ?? ""))
        }
    }

    @Test(
        "GOST 28147-89 gives the published ciphertexts and plaintexts in ECB, CNT, CFB and CBC, whole and in pieces; with key meshing, by the letter of RFC 4357, 2.3.2",
        arguments: [
            ("gost28147_ecb.json", 14, CipherMessage.Mode.ecb), ("gost28147_cnt.json", 56, .cnt),
            ("gost28147_cfb.json", 55, .cfb), ("gost28147_cbc.json", 32, .cbc),
        ])
    func gost28147(file: String, count: Int, mode: CipherMessage.Mode) throws {
        let vectors = try JSON(vectors: file).vectors.list
        #expect(vectors.count == count)
        for vector in vectors where vector.pt_zero_bytes.isNull {
            let section = vector.meshing.number == 1 ? CipherMessage.meshingSection : nil
            try check(vector, .gost28147(vector.sBox), mode, section)
        }
    }

    @Test("CNT and CFB with key meshing hold over five million bytes")
    func longMessages() throws {
        for (file, mode) in [("gost28147_cnt.json", CipherMessage.Mode.cnt), ("gost28147_cfb.json", .cfb)] {
            for vector in try JSON(vectors: file).vectors.list {
                guard let count = vector.pt_zero_bytes.number, count < 1 << 30 else { continue }
                let (key, iv, zeros) = (vector.key.bytes, vector.iv.bytes, [UInt8](repeating: 0, count: count))
                let section = vector.meshing.number == 1 ? CipherMessage.meshingSection : nil
                let ciphertext = try CipherMessage.encrypt(
                    zeros.span, .gost28147(vector.sBox), mode, key: key.span, iv: iv.span, section: section)
                #expect(ciphertext.array.suffix(16) == vector.last16_ct.bytes[...], "\(vector.name)")
            }
        }
    }

    @Test("Magma and Kuznyechik give the blocks of RFC 8891, A, and RFC 7801, 5, and back")
    func blocks() throws {
        for (file, algorithm) in [("magma_block.json", CipherAlgorithm.magma), ("kuznyechik_block.json", .kuznyechik)] {
            let vectors = try JSON(vectors: file).vectors.list
            #expect(vectors.count == 1)
            for vector in vectors { try check(vector, algorithm, .ecb) }
        }
    }

    @Test("Every published message of GOST R 34.13-2015 gives its ciphertext or code, whole and in pieces")
    func modes() throws {
        let vectors = try JSON(vectors: "gost3413_modes.json").vectors.list
        #expect(vectors.count == 35)
        for vector in vectors {
            let algorithm = try #require(cipher(of: vector))
            switch vector.mode.text {
            case "omac": try checkCode(vector, algorithm)
            case "ecb": try check(vector, algorithm, .ecb)
            case "ctr": try check(vector, algorithm, .ctr)
            case "cbc": try checkInterleaved(vector, algorithm, .cbc)
            case "cfb": try checkInterleaved(vector, algorithm, .cfb)
            case "ofb": try checkInterleaved(vector, algorithm, .ofb)
            default: Issue.record("\(vector.name)")
            }
        }
    }

    @Test("Every published message with CTR-ACPKM gives its ciphertext, whole and in pieces")
    func rekeying() throws {
        let vectors = try JSON(vectors: "acpkm.json").vectors.list.filter { $0.alg.text == "CTR-ACPKM" }
        #expect(vectors.count == 7)
        for vector in vectors {
            try check(vector, try #require(cipher(of: vector)), .ctr, vector.section_bytes.number)
        }
    }

    @Test(
        "The key after a section is the published one, of key meshing (RFC 4357, 2.3.2) and of ACPKM (RFC 8645, 6.2.1)")
    func nextKeys() throws {
        let meshed = try JSON(vectors: "gost28147_keymeshing.json").vectors.list
        #expect(meshed.count == 5)
        for vector in meshed {
            let iv = vector.iv.bytes
            #expect(try behindSection(vector, .gost28147(vector.sBox), 1024, iv) == vector.next_iv.bytes)
            try checkNextKey(vector, .gost28147(vector.sBox), section: 1024)
        }
        let rekeyed = try JSON(vectors: "acpkm.json").vectors.list.filter { $0.alg.text == "ACPKM" }
        #expect(rekeyed.count == 1)
        for vector in rekeyed { try checkNextKey(vector, try #require(cipher(of: vector)), section: 64) }
    }

    private func checkNextKey(_ vector: JSON, _ algorithm: CipherAlgorithm, section: Int) throws {
        let (blocks, next) = (bytes(48), vector.next_key.bytes)
        let expected = try CipherMessage.encrypt(blocks.span, algorithm, .ecb, key: next.span).array
        #expect(try behindSection(vector, algorithm, section, blocks) == expected, "\(vector.name)")
    }

    /// The blocks enciphered one by one behind a section with the vector's key.
    private func behindSection(
        _ vector: JSON, _ algorithm: CipherAlgorithm, _ section: Int, _ blocks: [UInt8]
    ) throws -> [UInt8] {
        let (key, message) = (vector.key.bytes, bytes(section) + blocks)
        let all = try CipherMessage.encrypt(message.span, algorithm, .ecb, key: key.span, section: section)
        return all.array.suffix(blocks.count)
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

    private func cipher(of vector: JSON) -> CipherAlgorithm? {
        ["magma": .magma, "kuznyechik": .kuznyechik][vector.cipher.text ?? ""]
    }

    private func check(
        _ vector: JSON, _ algorithm: CipherAlgorithm, _ mode: CipherMessage.Mode, _ section: Int? = nil
    ) throws {
        let (plaintext, ciphertext) = (vector.pt.bytes, vector.ct.bytes)
        for seed in [nil, 3] {
            var forward = try message(vector, algorithm, mode, vector.iv.bytes, section)
            var back = try message(vector, algorithm, mode, vector.iv.bytes, section)
            let unit = forward.granularity
            let enciphered = try Pieces(plaintext, seed: seed, unit: unit).map { try forward.encrypt($0.span) }
            let deciphered = try Pieces(ciphertext, seed: seed, unit: unit).map { try back.decrypt($0.span) }
            #expect(enciphered == ciphertext && deciphered == plaintext, "\(vector.name)")
        }
    }

    private func message(
        _ vector: JSON, _ algorithm: CipherAlgorithm, _ mode: CipherMessage.Mode, _ iv: [UInt8], _ section: Int? = nil
    ) throws -> CipherMessage {
        let key = vector.key.bytes
        return try CipherMessage(algorithm, mode, key: key.span, iv: iv.span, section: section)
    }

    /// A register of several blocks links every second or third block: as many messages, each with a block of the IV.
    private func checkInterleaved(_ vector: JSON, _ algorithm: CipherAlgorithm, _ mode: CipherMessage.Mode) throws {
        let (size, iv) = (algorithm.blockSize, vector.iv.bytes)
        let (plaintext, ciphertext) = (vector.pt.bytes, vector.ct.bytes)
        for start in stride(from: 0, to: iv.count, by: size) {
            let block = Array(iv[start..<start + size])
            var forward = try message(vector, algorithm, mode, block)
            var back = try message(vector, algorithm, mode, block)
            for place in stride(from: start, to: plaintext.count, by: iv.count) {
                let range = place..<min(place + size, plaintext.count)
                let (text, result) = (Array(plaintext[range]), Array(ciphertext[range]))
                #expect(try forward.encrypt(text.span).array == result, "\(vector.name)")
                #expect(try back.decrypt(result.span).array == text, "\(vector.name)")
            }
        }
    }

    private func checkCode(_ vector: JSON, _ algorithm: CipherAlgorithm) throws {
        let (key, message, mac) = (vector.key.bytes, vector.pt.bytes, vector.mac.bytes)
        for length in [algorithm.blockSize, algorithm.blockSize / 2] {
            let code = try OMAC.authenticate(message.span, algorithm, key: key.span, tagLength: length)
            #expect(code.array == Array(mac.prefix(length)), "\(vector.name)")
        }
        var inPieces = try OMAC(algorithm, key: key.span)
        Pieces(message, seed: 3).forEach { inPieces.update($0.span) }
        #expect(inPieces.finalize().array == mac, "\(vector.name)")
    }
}
