// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import Testing

/// The modes of GOST 28147-89 in which blocks are linked, or keys meshed.
extension InstructionTests {
    @Test(
        "Linked blocks of GOST 28147-89, its code and its gamma are the same on each path, whatever the length and pieces",
        arguments: [false, true])
    func linked28147(meshing: Bool) throws {
        for length in Self.lengths {
            let (key, iv, message) = (random(32), random(8), random(length + 64))
            let (shift, head) = (Int.random(in: 0..<64), Int.random(in: 0...length))
            let data = message.span.extracting(shift..<shift + length)
            let blocks = data.extracting(first: length / 8 * 8)
            let results = try onEachPath { _ in
                try cfb(key, iv, data, head, meshing) + cbc(key, iv, blocks, head / 8 * 8, meshing)
                    + imit(key, iv, data, head, meshing) + cnt(key, iv, data, head, meshing)
            }
            #expect(Set(results).count == 1, "\(length) bytes")
        }
    }

    private func cfb(
        _ key: [UInt8], _ iv: [UInt8], _ data: Span<UInt8>, _ head: Int, _ meshing: Bool
    ) throws -> [UInt8] {
        var forward = try GOST28147CFB(key: key.span, iv: iv.span, sBox: .cryptoProB, meshing: meshing)
        var back = try GOST28147CFB(key: key.span, iv: iv.span, sBox: .cryptoProB, meshing: meshing)
        let ciphertext =
            forward.encrypt(data.extracting(first: head)).array
            + forward.encrypt(data.extracting(droppingFirst: head)).array
        let plaintext =
            back.decrypt(ciphertext.span.extracting(droppingLast: head)).array
            + back.decrypt(ciphertext.span.extracting(last: head)).array
        #expect(plaintext == [UInt8](copying: data))
        return ciphertext
    }

    private func cbc(
        _ key: [UInt8], _ iv: [UInt8], _ blocks: Span<UInt8>, _ head: Int, _ meshing: Bool
    ) throws -> [UInt8] {
        var forward = try GOST28147CBC(key: key.span, iv: iv.span, sBox: .cryptoProC, meshing: meshing)
        var back = try GOST28147CBC(key: key.span, iv: iv.span, sBox: .cryptoProC, meshing: meshing)
        let ciphertext =
            try forward.encrypt(blocks.extracting(first: head)).array
            + forward.encrypt(blocks.extracting(droppingFirst: head)).array
        let plaintext =
            try back.decrypt(ciphertext.span.extracting(droppingLast: head)).array
            + back.decrypt(ciphertext.span.extracting(last: head)).array
        #expect(plaintext == [UInt8](copying: blocks))
        return ciphertext
    }

    private func imit(
        _ key: [UInt8], _ iv: [UInt8], _ data: Span<UInt8>, _ head: Int, _ meshing: Bool
    ) throws -> [UInt8] {
        var code = try GOST28147IMIT(key: key.span, iv: iv.span, sBox: .cryptoProD, meshing: meshing, tagLength: 8)
        code.update(data.extracting(first: head))
        code.update(data.extracting(droppingFirst: head))
        return code.finalize().array
    }

    private func cnt(
        _ key: [UInt8], _ iv: [UInt8], _ data: Span<UInt8>, _ head: Int, _ meshing: Bool
    ) throws -> [UInt8] {
        var gamma = try GOST28147CNT(key: key.span, iv: iv.span, sBox: .tc26Z, meshing: meshing)
        return gamma.apply(data.extracting(first: head)).array
            + gamma.apply(data.extracting(droppingFirst: head)).array
    }
}
