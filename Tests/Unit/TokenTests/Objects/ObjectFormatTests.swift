// SPDX-License-Identifier: Apache-2.0
import TestSupport
import Testing
import Token

@Suite("The vendor's object format")
struct ObjectFormatTests {
    @Test("an index is RP, version 1, size 256, then identifiers with the first byte low")
    func index() throws {
        let bytes = [UInt8](hex: "52 50 01 00 00 01 28 82 6D 41 5B 40") + [UInt8](repeating: 0, count: 244)
        var index = try #require(ObjectIndex(parsing: bytes))
        #expect(index.files == [0x416D, 0x405B])

        let removed = index.remove(0x416D)
        #expect(removed)
        #expect(index.changes.offset == 8)
        #expect(index.changes.bytes.hex == "6dc1")
        #expect(index.files == [0x405B])
    }

    @Test("records that are entered together are written by one update")
    func insertion() throws {
        var index = ObjectIndex()
        let entered = [index.insert(0x1234), index.insert(0x0567)]
        #expect(entered == [true, true])
        #expect(index.changes.offset == 6)
        #expect(index.changes.bytes.hex == "34126705")
    }

    @Test("a full index takes the place of a deleted record, and refuses when there is none")
    func full() throws {
        var index = ObjectIndex()
        let filled = (1...125).allSatisfy { index.insert($0) }
        let overflowed = index.insert(0x0200)
        let removed = index.remove(7)
        let replaced = index.insert(0x0200)
        #expect((filled, overflowed, removed, replaced) == (true, false, true, true))
        #expect(!index.files.contains(7))
    }

    @Test("a key record with a label of 22 bytes and an identifier of 16 has the 98 bytes seen on tokens")
    func keyRecord() {
        let record = ObjectRecord(
            kind: .publicKey, keyNumber: 2,
            items: [
                (.label, [UInt8](repeating: 0x41, count: 22)), (.id, [UInt8](repeating: 0x42, count: 16)),
                (.gostR3410Parameters, [UInt8](hex: "06 07 2A 85 03 02 02 23 01")),
                (.gostR3411Parameters, [UInt8](hex: "06 08 2A 85 03 07 01 01 02 02")),
                (.gost28147Parameters, [UInt8](hex: "06 09 2A 85 03 07 01 02 05 01 01")),
            ])
        #expect(record.encoded.count == 98)
        #expect(record.encoded.prefix(14) == [UInt8](hex: "50 6B 01 00 00 00 64 00 02 00 00 00 16 00")[...])
        #expect(ObjectRecord(parsing: record.encoded) == record)
    }

    @Test(
        "a certificate of 335 bytes with a subject of 35, a label of 22 and an identifier of 16 has the 463 bytes seen")
    func certificateRecord() {
        let record = ObjectRecord(
            certificate: [UInt8](repeating: 0x30, count: 335), subject: [UInt8](repeating: 0x31, count: 35),
            label: [UInt8](repeating: 0x41, count: 22), id: [UInt8](repeating: 0x42, count: 16))
        let bytes = record.encoded
        #expect(bytes.count == 463)
        #expect(bytes.prefix(14) == [UInt8](hex: "43 74 01 00 00 00 01 00 00 00 00 00 16 00")[...])
        #expect(record.items.map(\.code) == [0x00, 0x01, 0x02, 0x08, 0x0B, 0x0F, 0x10, 0x11])
        #expect(bytes.suffix(29).hex == "0b00040000000000" + "0f00010000" + "1000040000000000" + "1100040000000000")
        #expect(ObjectRecord(parsing: bytes) == record)
    }

    @Test("a data object's record says whether it is private, and lies in an index that is not the vendor's")
    func dataRecord() {
        for isPrivate in [true, false] {
            var record = ObjectRecord(kind: .data, keyNumber: 0, items: [(.label, [0x41]), (.value, [1, 2])])
            record.isPrivate = isPrivate
            #expect(record.encoded.prefix(2).elementsEqual("Dt".utf8))
            #expect(ObjectRecord(parsing: record.encoded)?.isPrivate == isPrivate)
        }
        let index = ObjectIndex(magic: RecordDirectory.data.magic).header
        #expect(index.hex == "4f5301000001")
        #expect(ObjectIndex(parsing: index) == nil)
        #expect(ObjectIndex(parsing: index, magic: RecordDirectory.data.magic) != nil)
    }

    @Test("RSA key files have the sizes of the reference")
    func rsaSizes() throws {
        for (bits, privateSize, publicSize) in [(1024, 0x148, 0xC0), (2048, 0x288, 0x180), (4096, 0x508, 0x300)] {
            let size = try #require(RSAKeySize(bits: bits))
            #expect((size.privateSize, size.publicSize) == (privateSize, publicSize))
            #expect(RSAKeySize(privateSize: privateSize) == size)
            #expect(RSAKeySize(publicSize: publicSize) == size)
        }
        for bits in [0, 256, 511, 1000, 1025, 4352] { #expect(RSAKeySize(bits: bits) == nil) }
        for size in [-1, 0, 7, 8] { #expect(RSAKeySize(privateSize: size) == nil) }
    }

    @Test("a public RSA key is its modulus and its exponent, little-endian")
    func rsaValue() throws {
        let size = try #require(RSAKeySize(bits: 512))
        let key = RSAKey(size, modulus: [0x80] + [UInt8](repeating: 1, count: 63), publicExponent: [1, 0, 1])
        let bytes = try #require(key.value)
        #expect(bytes.count == 96)
        #expect(bytes[63] == 0x80)
        #expect(bytes[64..<68] == [1, 0, 1, 0])
        var read = RSAKey(size)
        for wrong in [bytes + [0], [UInt8](repeating: 0, count: 96)] {
            read.take(wrong)
            #expect(read == RSAKey(size))
        }
        read.take(bytes)
        #expect(read == key)
    }

    @Test("a record that is cut short, or of an unknown kind, is none")
    func malformedRecords() {
        let bytes = ObjectRecord(kind: .privateKey, keyNumber: 1, items: [(.label, [1, 2, 3])]).encoded
        #expect(ObjectRecord(parsing: bytes) != nil)
        for count in 1..<bytes.count where count != 10 {
            #expect(ObjectRecord(parsing: Array(bytes.prefix(count))) == nil)
        }
        #expect(ObjectRecord(parsing: [0x58, 0x58] + bytes.dropFirst(2)) == nil)
    }
}

@Suite("Models by their answer to reset")
struct TokenModelTests {
    @Test(
        "the tokens of the reference are recognised",
        arguments: [
            ("3B 8B 01 52 75 74 6F 6B 65 6E 20 45 43 50 A0", TokenModel.ecp),
            ("3B 8B 01 52 75 74 6F 6B 65 6E 20 44 53 20 C1", .ecp),
            ("3B 9C 96 00 52 75 74 6F 6B 65 6E 45 43 50 73 63", .ecp),
            ("3B 9C 94 80 11 40 52 75 74 6F 6B 65 6E 45 43 50 73 63 C3", .ecp),
            ("3B 88 80 01 52 74 53 43 77 81 83 20 6A", .ecp),
            ("3B 8C 80 01 50 5C 4B 71 A1 52 74 53 43 77 81 83 D9", .ecp),
            ("3B 9C 97 80 11 40 52 75 74 6F 6B 65 6E 45 43 50 73 63 C0", .ecp),
            ("3B 8B 01 52 75 74 6F 6B 65 6E 6C 69 74 65 C2", .lite),
            ("3B 9E 96 00 52 75 74 6F 6B 65 6E 4C 69 74 65 53 43 32", .lite),
            ("3B 8B 01 52 75 74 6F 6B 65 6E 44 53 42 54 D7", .ecpBluetooth),
            ("3B 8B 01 52 74 50 49 4E 50 61 64 20 20 32 9C", .pinPad),
            ("3B 88 80 01 52 74 4D 43 00 81 C1 00 61", .mikron), ("3B 18 96 72 75 74 6F 6B 65 6E 6D", .mikron),
        ])
    func known(_ atr: String, _ model: TokenModel) {
        #expect(TokenModel(atr: [UInt8](hex: atr)) == model)
    }

    @Test(
        "other cards are not",
        arguments: [
            "3B 6F 00 FF 00 56 72 75 54 6F 6B 6E 73 30 20 00 00 90 00",
            "3B FD 13 00 00 81 31 FE 15 80 73 C0 21 C0 57 59 75 62", "",
        ])
    func unknown(_ atr: String) {
        #expect(TokenModel(atr: [UInt8](hex: atr)) == nil)
    }
}
