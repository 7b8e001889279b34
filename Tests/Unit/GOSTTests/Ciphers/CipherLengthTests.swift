// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Lengths of ciphers and codes")
struct CipherLengthTests {
    private static let algorithms = [CipherAlgorithm.gost28147(.tc26Z), .magma, .kuznyechik]

    /// The modes that a cipher has.
    private func modes(_ algorithm: CipherAlgorithm) -> [CipherMessage.Mode] {
        CipherMessage.Mode.allCases.filter { $0 != .cnt || algorithm == .gost28147(.tc26Z) }
    }

    private func ivSize(_ algorithm: CipherAlgorithm, _ mode: CipherMessage.Mode) -> Int {
        switch mode {
        case .ecb: 0
        case .ctr: algorithm.blockSize / 2
        case .cbc, .cfb, .ofb, .cnt: algorithm.blockSize
        }
    }

    @Test(
        "A key of other than 32 bytes, and an initialisation vector of another length, are refused",
        arguments: algorithms)
    func keysAndVectors(algorithm: CipherAlgorithm) {
        let bytes = bytes(64)
        let key = bytes.span.extracting(first: 32)
        for mode in modes(algorithm) {
            let size = ivSize(algorithm, mode)
            for count in [0, 31, 33] {
                #expect(throws: GOSTError.invalidKeyLength) {
                    _ = try CipherMessage(
                        algorithm, mode, key: bytes.span.extracting(first: count),
                        iv: bytes.span.extracting(first: size))
                }
            }
            for count in [0, size - 1, size + 1] where count >= 0 && count != size {
                #expect(throws: GOSTError.invalidIVLength) {
                    _ = try CipherMessage(algorithm, mode, key: key, iv: bytes.span.extracting(first: count))
                }
            }
        }
    }

    @Test("ECB and CBC refuse a part of a block, and nothing of it is done", arguments: algorithms)
    func partsOfBlocks(algorithm: CipherAlgorithm) throws {
        let (key, iv, text) = (bytes(32), bytes(algorithm.blockSize), bytes(4 * algorithm.blockSize + 1))
        for mode in [CipherMessage.Mode.ecb, .cbc] {
            let iv = iv.span.extracting(first: ivSize(algorithm, mode))
            var message = try CipherMessage(algorithm, mode, key: key.span, iv: iv)
            #expect(throws: GOSTError.invalidLength) { _ = try message.encrypt(text.span) }
            #expect(throws: GOSTError.invalidLength) { _ = try message.decrypt(text.span) }
            let whole = text.span.extracting(droppingLast: 1)
            let expected = try CipherMessage.encrypt(whole, algorithm, mode, key: key.span, iv: iv).array
            #expect(try message.encrypt(whole).array == expected)
        }
    }

    @Test("A section is one or more whole blocks", arguments: [-16, 0, 1, 15, 20])
    func sections(section: Int) {
        let (key, iv) = (bytes(32), bytes(8))
        #expect(throws: GOSTError.invalidParameter) {
            _ = try CipherMessage(.kuznyechik, .ctr, key: key.span, iv: iv.span, section: section)
        }
    }

    @Test("The gamma mode is GOST 28147-89's alone")
    func gammaMode() {
        let (key, iv) = (bytes(32), bytes(8))
        #expect(throws: GOSTError.invalidParameter) { _ = try CipherMessage(.magma, .cnt, key: key.span, iv: iv.span) }
    }

    @Test("Codes of no bytes or of more than a block, and their keys and states of another length, are refused")
    func codes() {
        let bytes = bytes(33)
        let key = bytes.span.extracting(first: 32)
        for count in [-1, 0, 9] {
            #expect(throws: GOSTError.invalidLength) { _ = try OMAC(.magma, key: key, tagLength: count) }
            #expect(throws: GOSTError.invalidLength) {
                _ = try GOST28147IMIT(key: key, sBox: .tc26Z, meshing: false, tagLength: count)
            }
        }
        #expect(throws: GOSTError.invalidLength) { _ = try OMAC(.kuznyechik, key: key, tagLength: 17) }
        for count in [0, 31, 33] {
            let wrong = bytes.span.extracting(first: count)
            #expect(throws: GOSTError.invalidKeyLength) { _ = try OMAC(.kuznyechik, key: wrong) }
            #expect(throws: GOSTError.invalidKeyLength) {
                _ = try GOST28147IMIT(key: wrong, sBox: .tc26Z, meshing: false)
            }
        }
        for count in [1, 7, 9] {
            #expect(throws: GOSTError.invalidIVLength) {
                _ = try GOST28147IMIT(key: key, iv: bytes.span.extracting(first: count), sBox: .tc26Z, meshing: false)
            }
        }
    }
}
