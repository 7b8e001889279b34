// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Magma and Kuznyechik")
struct BlockCipherTests {
    @Test("Magma gives the block of RFC 8891, A, and back")
    func magma() throws { try check(Magma.self, "magma_block.json") }

    @Test("Kuznyechik gives the block of RFC 7801, 5, and back")
    func kuznyechik() throws { try check(Kuznyechik.self, "kuznyechik_block.json") }

    private func check<Cipher: GOSTBlockCipher & ~Copyable>(_: Cipher.Type, _ file: String) throws {
        let vectors = try JSON(vectors: file).vectors.list
        #expect(vectors.count == 1)
        for vector in vectors {
            let key = vector.key.bytes
            let cipher = try Cipher(key: key.span)
            #expect(encrypted(cipher, vector.pt.bytes) == vector.ct.bytes)
            #expect(decrypted(cipher, vector.ct.bytes) == vector.pt.bytes)
        }
    }

    @Test("A block does not depend on how many others are enciphered with it", arguments: [1, 2, 7, 9, 13, 130, 300])
    func sideBySide(count: Int) throws {
        try sideBySide(Magma.self, count)
        try sideBySide(Kuznyechik.self, count)
    }

    private func sideBySide<Cipher: GOSTBlockCipher & ~Copyable>(_: Cipher.Type, _ count: Int) throws {
        let size = Cipher.blockSize
        let cipher = try Cipher(key: bytes(32).span)
        let plaintext = bytes(size * count + 3)
        var expected = stride(from: 0, to: size * count, by: size).flatMap { offset in
            encrypted(cipher, Array(plaintext[offset..<offset + size]))
        }
        expected += plaintext.suffix(3)
        #expect(encrypted(cipher, plaintext) == expected)
        #expect(decrypted(cipher, expected) == plaintext)
    }

    @Test("A key has 32 bytes", arguments: [0, 31, 33])
    func keyLength(count: Int) {
        #expect(throws: GOSTError.invalidKeyLength) { _ = try Magma(key: bytes(count).span) }
        #expect(throws: GOSTError.invalidKeyLength) { _ = try Kuznyechik(key: bytes(count).span) }
    }

    private func encrypted<Cipher: GOSTBlockCipher & ~Copyable>(_ cipher: borrowing Cipher, _ data: [UInt8]) -> [UInt8]
    {
        var data = data
        var blocks = data.mutableSpan
        cipher.encrypt(&blocks)
        return data
    }

    private func decrypted<Cipher: GOSTBlockCipher & ~Copyable>(_ cipher: borrowing Cipher, _ data: [UInt8]) -> [UInt8]
    {
        var data = data
        var blocks = data.mutableSpan
        cipher.decrypt(&blocks)
        return data
    }
}
