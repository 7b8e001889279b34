// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("ACPKM re-keying")
struct RekeyingTests {
    @Test("Every published message gives its ciphertext, code or key material, whole and in pieces")
    func vectors() throws {
        let vectors = try JSON(vectors: "acpkm.json").vectors.list
        #expect(vectors.count == 13)
        for vector in vectors {
            switch vector.cipher.text {
            case "magma": try check(Magma.self, vector)
            case "kuznyechik": try check(Kuznyechik.self, vector)
            default: Issue.record("\(vector.name)")
            }
        }
    }

    private func check<Cipher: GOSTBlockCipher & ~Copyable>(_: Cipher.Type, _ vector: JSON) throws {
        let (key, iv) = (vector.key.bytes, vector.iv.bytes)
        let section = vector.section_bytes.number ?? 0
        let masterSection = vector.T_bytes.number ?? 0
        switch vector.alg.text {
        case "ACPKM":
            #expect(try Cipher(key: key.span).nextKey().array == vector.next_key.bytes)
        case "ACPKM-Master":
            var whole = try ACPKMMaster<Cipher>(key: key.span, section: masterSection)
            var material: [UInt8] = []
            #expect(whole.next(144).array == vector.out.bytes)
            var inPieces = try ACPKMMaster<Cipher>(key: key.span, section: masterSection)
            for count in [1, 32, 50, 61] { material += inPieces.next(count).array }
            #expect(material == vector.out.bytes)
        case "CTR-ACPKM":
            for seed in [nil, 3] {
                var mode = try CTRACPKM<Cipher>(key: key.span, iv: iv.span, section: section)
                let result = Pieces(vector.pt.bytes, seed: seed).map { mode.update($0.span) }
                #expect(result == vector.ct.bytes, "\(vector.name)")
            }
        case "OMAC-ACPKM":
            for seed in [nil, 3, 16] {
                var code = try OMACACPKM<Cipher>(key: key.span, section: section, masterSection: masterSection)
                Pieces(vector.msg.bytes, seed: seed).forEach { code.update($0.span) }
                #expect(code.finalize().array == vector.mac.bytes, "\(vector.name)")
            }
        default: Issue.record("\(vector.name)")
        }
    }

    @Test("A section is one or more whole blocks", arguments: [-16, 0, 1, 15, 20])
    func sections(section: Int) throws {
        let bytes = bytes(32)
        let (key, iv) = (bytes.span, bytes.span.extracting(first: 8))
        #expect(throws: GOSTError.invalidParameter) { _ = try CTRACPKM<Kuznyechik>(key: key, iv: iv, section: section) }
        #expect(throws: GOSTError.invalidParameter) { _ = try ACPKMMaster<Kuznyechik>(key: key, section: section) }
        #expect(throws: GOSTError.invalidParameter) {
            _ = try OMACACPKM<Kuznyechik>(key: key, section: section, masterSection: 32)
        }
        #expect(throws: GOSTError.invalidParameter) {
            _ = try OMACACPKM<Kuznyechik>(key: key, section: 32, masterSection: section)
        }
    }

    @Test("Keys, initialisation vectors and codes of a wrong length are refused")
    func lengths() throws {
        let bytes = bytes(32)
        let (key, short) = (bytes.span, bytes.span.extracting(first: 31))
        let iv = bytes.span.extracting(first: 4)
        #expect(throws: GOSTError.invalidKeyLength) { _ = try CTRACPKM<Magma>(key: short, iv: iv, section: 8) }
        #expect(throws: GOSTError.invalidIVLength) { _ = try CTRACPKM<Magma>(key: key, iv: short, section: 8) }
        #expect(throws: GOSTError.invalidKeyLength) { _ = try ACPKMMaster<Magma>(key: short, section: 8) }
        #expect(throws: GOSTError.invalidKeyLength) {
            _ = try OMACACPKM<Magma>(key: short, section: 8, masterSection: 8)
        }
        for count in [0, 9] {
            #expect(throws: GOSTError.invalidLength) {
                _ = try OMACACPKM<Magma>(key: key, section: 8, masterSection: 8, tagLength: count)
            }
        }
    }
}
