// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

/// The choice of instructions holds for the whole process. Other suites that run at the same time get the choice made
/// here, and their results must be the same.
@Suite("Instructions", .serialized)
struct InstructionTests {
    /// Lengths around the bounds of vectors, batches and key meshing, and random ones.
    static let lengths =
        [0, 1, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 129, 255, 256, 511, 512, 513, 1023, 1024, 1025, 2049, 5000]
        + (0..<20).map { _ in Int.random(in: 0...4096) }

    @Test("The portable ones are always available, and what is not available is refused")
    func choice() {
        defer { Instructions.choose(nil) }
        #expect(Instructions.portable.areAvailable && Instructions.choose(.portable))
        for instructions in Instructions.allCases {
            #expect(Instructions.choose(instructions) == instructions.areAvailable)
            if instructions.areAvailable { #expect(Instructions.current == instructions) }
        }
    }

    @Test("Every vector of the ciphers and hashes holds on each path")
    func vectors() throws {
        try onEachPath { _ in
            let ciphers = CipherTests()
            try ciphers.gost28147(file: "gost28147_ecb.json", count: 14, mode: .ecb)
            try ciphers.gost28147(file: "gost28147_cnt.json", count: 56, mode: .cnt)
            try ciphers.gost28147(file: "gost28147_cfb.json", count: 55, mode: .cfb)
            try ciphers.gost28147(file: "gost28147_cbc.json", count: 32, mode: .cbc)
            try ciphers.longMessages()
            try ciphers.blocks()
            try ciphers.modes()
            try ciphers.rekeying()
            try ciphers.nextKeys()
            try ciphers.imit()
            try KeyWrapTests().vectors()
            try MGMTests().mgm()
            try MGMTests().esp()
            try MGMTests().kexp15()
            try HashTests().streebog()
            try HashTests().gostR341194()
            HashTests().pieces()
        }
    }

    @Test(
        "A cipher gives the same bytes on each path, and back, whatever the length, the pieces and the alignment",
        arguments: [CipherAlgorithm.gost28147(.cryptoProB), .magma, .kuznyechik])
    func ciphers(algorithm: CipherAlgorithm) throws {
        for length in Self.lengths {
            let (key, iv, message) = (random(32), random(16), random(length + 64))
            let (shift, head) = (Int.random(in: 0..<64), Int.random(in: 0...length))
            let data = message.span.extracting(shift..<shift + length)
            let results = try onEachPath { _ in
                try CipherMessage.Mode.allCases.map { try thereAndBack(algorithm, $0, key, iv, data, head) }
                    + [try codes(algorithm, key, iv, data, head)]
            }
            #expect(Set(results).count == 1, "\(length) bytes")
        }
    }

    /// Ciphertexts with one key, and with keys that change.
    private func thereAndBack(
        _ algorithm: CipherAlgorithm, _ mode: CipherMessage.Mode, _ key: [UInt8], _ iv: [UInt8], _ data: Span<UInt8>,
        _ head: Int
    ) throws -> [UInt8] {
        let size = algorithm.blockSize
        if mode == .cnt, size == 16 || algorithm == .magma { return [] }
        let iv = iv.span.extracting(first: mode == .ecb ? 0 : mode == .ctr ? size / 2 : size)
        var result: [UInt8] = []
        for section in [nil, 80, CipherMessage.meshingSection] {
            var forward = try CipherMessage(algorithm, mode, key: key.span, iv: iv, section: section)
            var back = try CipherMessage(algorithm, mode, key: key.span, iv: iv, section: section)
            let unit = forward.granularity
            let text = data.extracting(first: data.count / unit * unit)
            let cut = head / unit * unit
            let ciphertext =
                try forward.encrypt(text.extracting(first: cut)).array
                + forward.encrypt(text.extracting(droppingFirst: cut)).array
            let plaintext =
                try back.decrypt(ciphertext.span.extracting(droppingLast: cut)).array
                + back.decrypt(ciphertext.span.extracting(last: cut)).array
            #expect(plaintext == [UInt8](copying: text))
            result += ciphertext
        }
        return result
    }

    private func codes(
        _ algorithm: CipherAlgorithm, _ key: [UInt8], _ iv: [UInt8], _ data: Span<UInt8>, _ head: Int
    ) throws -> [UInt8] {
        guard case .gost28147(let sBox) = algorithm else {
            var code = try OMAC(algorithm, key: key.span)
            code.update(data.extracting(first: head))
            code.update(data.extracting(droppingFirst: head))
            let nonce = [iv[0] & 0x7F] + iv[1..<algorithm.blockSize]
            let sealed = try MGM(algorithm, key: key.span).seal(data, nonce: nonce.span, authenticating: key.span)
            return code.finalize().array + sealed.array
        }
        return try [false, true].flatMap { meshing in
            let iv = iv.span.extracting(first: 8)
            var code = try GOST28147IMIT(key: key.span, iv: iv, sBox: sBox, meshing: meshing, tagLength: 8)
            code.update(data.extracting(first: head))
            code.update(data.extracting(droppingFirst: head))
            return code.finalize().array
        }
    }

    @Test("Hash functions give the same hash code on each path, whatever the length and the alignment")
    func hashes() throws {
        for length in Self.lengths {
            let message = random(length + 64)
            let shift = Int.random(in: 0..<64)
            let data = message.span.extracting(shift..<shift + length)
            let results = onEachPath { _ in
                [Streebog256.hash(data), Streebog512.hash(data), GOSTR341194.hash(data)]
            }
            #expect(Set(results).count == 1, "\(length) bytes")
        }
    }

    /// The results of `body` with each set of instructions that this processor has.
    @discardableResult
    func onEachPath<Result>(_ body: (Instructions) throws -> Result) rethrows -> [Result] {
        defer { Instructions.choose(nil) }
        return try Instructions.allCases.filter(\.areAvailable).map { instructions in
            Instructions.choose(instructions)
            return try body(instructions)
        }
    }

    func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255) } }
}
