// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import Testing

/// The modes that link each block to the one before.
extension InstructionTests {
    @Test(
        "Linked blocks are the same bytes on each path, whatever the length, the pieces and the register",
        arguments: 1...3)
    func chains(register: Int) throws {
        for length in Self.lengths {
            let (key, iv, message) = (random(32), random(16 * register), random(length + 64))
            let (shift, head) = (Int.random(in: 0..<64), Int.random(in: 0...length))
            let data = message.span.extracting(shift..<shift + length)
            let results = try onEachPath { _ in
                try chains(Magma.self, key, Array(iv.prefix(8 * register)), data, head: head)
                    + chains(Kuznyechik.self, key, iv, data, head: head)
            }
            #expect(Set(results).count == 1, "\(length) bytes")
        }
    }

    private func chains<Cipher: GOSTBlockCipher & ~Copyable>(
        _: Cipher.Type, _ key: [UInt8], _ iv: [UInt8], _ data: Span<UInt8>, head: Int
    ) throws -> [UInt8] {
        let blocks = data.extracting(first: data.count / Cipher.blockSize * Cipher.blockSize)
        var code = try OMAC<Cipher>(key: key.span)
        code.update(data.extracting(first: head))
        code.update(data.extracting(droppingFirst: head))
        return try cfb(Cipher.self, key, iv, data, head: head) + ofb(Cipher.self, key, iv, data, head: head)
            + cbc(Cipher.self, key, iv, blocks, head: head / Cipher.blockSize * Cipher.blockSize)
            + code.finalize().array
    }

    private func cfb<Cipher: GOSTBlockCipher & ~Copyable>(
        _: Cipher.Type, _ key: [UInt8], _ iv: [UInt8], _ data: Span<UInt8>, head: Int
    ) throws -> [UInt8] {
        var encryption = try CFB<Cipher>(key: key.span, iv: iv.span)
        var decryption = try CFB<Cipher>(key: key.span, iv: iv.span)
        let ciphertext =
            encryption.encrypt(data.extracting(first: head)).array
            + encryption.encrypt(data.extracting(droppingFirst: head)).array
        let plaintext =
            decryption.decrypt(ciphertext.span.extracting(droppingLast: head)).array
            + decryption.decrypt(ciphertext.span.extracting(last: head)).array
        #expect(plaintext == [UInt8](copying: data))
        return ciphertext
    }

    private func ofb<Cipher: GOSTBlockCipher & ~Copyable>(
        _: Cipher.Type, _ key: [UInt8], _ iv: [UInt8], _ data: Span<UInt8>, head: Int
    ) throws -> [UInt8] {
        var gamma = try OFB<Cipher>(key: key.span, iv: iv.span)
        return gamma.update(data.extracting(first: head)).array
            + gamma.update(data.extracting(droppingFirst: head)).array
    }

    private func cbc<Cipher: GOSTBlockCipher & ~Copyable>(
        _: Cipher.Type, _ key: [UInt8], _ iv: [UInt8], _ blocks: Span<UInt8>, head: Int
    ) throws -> [UInt8] {
        var encryption = try CBC<Cipher>(key: key.span, iv: iv.span)
        var decryption = try CBC<Cipher>(key: key.span, iv: iv.span)
        let ciphertext =
            try encryption.encrypt(blocks.extracting(first: head)).array
            + encryption.encrypt(blocks.extracting(droppingFirst: head)).array
        let plaintext =
            try decryption.decrypt(ciphertext.span.extracting(droppingLast: head)).array
            + decryption.decrypt(ciphertext.span.extracting(last: head)).array
        #expect(plaintext == [UInt8](copying: blocks))
        return ciphertext
    }
}
