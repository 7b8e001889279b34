// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Modes of GOST R 34.13-2015")
struct ModeTests {
    @Test("Every published message gives its ciphertext or code, whole and in pieces")
    func modes() throws {
        let vectors = try JSON(vectors: "gost3413_modes.json").vectors.list
        #expect(vectors.count == 35)
        for vector in vectors {
            switch vector.cipher.text {
            case "magma": try check(Magma.self, vector)
            case "kuznyechik": try check(Kuznyechik.self, vector)
            default: Issue.record("\(vector.name)")
            }
        }
    }

    private func check<Cipher: GOSTBlockCipher & ~Copyable>(_: Cipher.Type, _ vector: JSON) throws {
        let (key, plaintext, ciphertext) = (vector.key.bytes, vector.pt.bytes, vector.ct.bytes)
        switch vector.mode.text {
        case "ecb":
            let cipher = try Cipher(key: key.span)
            #expect(try cipher.encryptECB(plaintext.span).array == ciphertext, "\(vector.name)")
            #expect(try cipher.decryptECB(ciphertext.span).array == plaintext, "\(vector.name)")
        case "omac":
            let code = try OMAC<Cipher>.authenticate(plaintext.span, key: key.span)
            #expect(code.array == vector.mac.bytes, "\(vector.name)")
            let half = try OMAC<Cipher>.authenticate(plaintext.span, key: key.span, tagLength: Cipher.blockSize / 2)
            #expect(half.array == Array(vector.mac.bytes.prefix(Cipher.blockSize / 2)), "\(vector.name)")
            var inPieces = try OMAC<Cipher>(key: key.span)
            Pieces(plaintext, seed: 3).forEach { inPieces.update($0.span) }
            #expect(inPieces.finalize().array == vector.mac.bytes, "\(vector.name)")
        default:
            for seed in [nil, 3] {
                #expect(try run(Cipher.self, vector, plaintext, seed, back: false) == ciphertext, "\(vector.name)")
                #expect(try run(Cipher.self, vector, ciphertext, seed, back: true) == plaintext, "\(vector.name)")
            }
        }
    }

    /// The result of a mode for `message` in pieces, forward or back.
    private func run<Cipher: GOSTBlockCipher & ~Copyable>(
        _: Cipher.Type, _ vector: JSON, _ message: [UInt8], _ seed: Int?, back: Bool
    ) throws -> [UInt8] {
        let (key, iv) = (vector.key.bytes, vector.iv.bytes)
        let pieces = Pieces(message, seed: seed, unit: vector.mode.text == "cbc" ? Cipher.blockSize : 1)
        switch vector.mode.text {
        case "ctr":
            var mode = try CTR<Cipher>(key: key.span, iv: iv.span)
            return pieces.map { mode.update($0.span) }
        case "ofb":
            var mode = try OFB<Cipher>(key: key.span, iv: iv.span)
            return pieces.map { mode.update($0.span) }
        case "cfb":
            var mode = try CFB<Cipher>(key: key.span, iv: iv.span)
            return pieces.map { back ? mode.decrypt($0.span) : mode.encrypt($0.span) }
        default:
            var mode = try CBC<Cipher>(key: key.span, iv: iv.span)
            return try pieces.map { try back ? mode.decrypt($0.span) : mode.encrypt($0.span) }
        }
    }

    @Test("A long message in pieces gives the same bytes as whole")
    func longMessage() throws {
        try longMessage(Magma.self)
        try longMessage(Kuznyechik.self)
    }

    private func longMessage<Cipher: GOSTBlockCipher & ~Copyable>(_: Cipher.Type) throws {
        let (key, iv, message) = (bytes(32), bytes(3 * Cipher.blockSize), bytes(9600))
        let half = Array(iv.prefix(Cipher.blockSize / 2))
        var whole = try CTR<Cipher>(key: key.span, iv: half.span)
        var inPieces = try CTR<Cipher>(key: key.span, iv: half.span)
        let ciphertext = whole.update(message.span).array
        #expect(Pieces(message, seed: 5).map { inPieces.update($0.span) } == ciphertext)
        var forward = try CBC<Cipher>(key: key.span, iv: iv.span)
        var back = try CBC<Cipher>(key: key.span, iv: iv.span)
        let linked = try forward.encrypt(message.span).array
        #expect(try Pieces(linked, seed: 7, unit: Cipher.blockSize).map { try back.decrypt($0.span) } == message)
    }

    @Test("Keys, initialisation vectors, parts of blocks and codes of a wrong length are refused")
    func lengths() throws {
        try lengths(Magma.self)
        try lengths(Kuznyechik.self)
    }

    private func lengths<Cipher: GOSTBlockCipher & ~Copyable>(_: Cipher.Type) throws {
        let (bytes, size) = (bytes(64), Cipher.blockSize)
        let key = bytes.span.extracting(first: 32)
        let short = bytes.span.extracting(first: 31)
        let iv = bytes.span.extracting(first: size)
        for count in [0, size / 2 - 1, size / 2 + 1, size] {
            #expect(throws: GOSTError.invalidIVLength) {
                _ = try CTR<Cipher>(key: key, iv: bytes.span.extracting(first: count))
            }
        }
        for count in [0, size - 1, size + 1] {
            let wrong = bytes.span.extracting(first: count)
            #expect(throws: GOSTError.invalidIVLength) { _ = try OFB<Cipher>(key: key, iv: wrong) }
            #expect(throws: GOSTError.invalidIVLength) { _ = try CFB<Cipher>(key: key, iv: wrong) }
            #expect(throws: GOSTError.invalidIVLength) { _ = try CBC<Cipher>(key: key, iv: wrong) }
        }
        #expect(throws: GOSTError.invalidKeyLength) {
            _ = try CTR<Cipher>(key: short, iv: bytes.span.extracting(first: size / 2))
        }
        #expect(throws: GOSTError.invalidKeyLength) { _ = try OFB<Cipher>(key: short, iv: iv) }
        #expect(throws: GOSTError.invalidKeyLength) { _ = try CFB<Cipher>(key: short, iv: iv) }
        #expect(throws: GOSTError.invalidKeyLength) { _ = try CBC<Cipher>(key: short, iv: iv) }
        #expect(throws: GOSTError.invalidKeyLength) { _ = try OMAC<Cipher>(key: short) }
        for count in [-1, 0, size + 1] {
            #expect(throws: GOSTError.invalidLength) { _ = try OMAC<Cipher>(key: key, tagLength: count) }
        }
        let cipher = try Cipher(key: key)
        #expect(outcome { () throws(GOSTError) in try cipher.encryptECB(short) } == .failure(.invalidLength))
        #expect(outcome { () throws(GOSTError) in try cipher.decryptECB(short) } == .failure(.invalidLength))
        var mode = try CBC<Cipher>(key: key, iv: iv)
        #expect(outcome { () throws(GOSTError) in try mode.encrypt(short) } == .failure(.invalidLength))
        #expect(outcome { () throws(GOSTError) in try mode.decrypt(short) } == .failure(.invalidLength))
    }
}
