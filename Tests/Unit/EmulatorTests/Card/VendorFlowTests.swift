// SPDX-License-Identifier: Apache-2.0
import Emulator
import GOST
import TestSupport
import Testing

/// The vendor's library's commands, in its order and with its bytes (Card, 5.1, 8.2, 8.4, 11 and 13.1).
@Suite("The vendor's library from the format to the deletion of a key")
struct VendorFlowTests {
    private static let label = [UInt8]("Тестовый токен".utf8)

    /// Sends commands that succeed.
    private static func send(_ card: EmulatedCard, _ commands: [String]) {
        for command in commands { #expect(status(card.send(command)) == "9000", "\(command)") }
    }

    /// A command with data of one length byte.
    private static func command(_ header: String, _ data: String) -> String {
        header + [UInt8([UInt8](hex: data).count)].hex + data
    }

    private static func elementaryFile(_ name: String, size: Int, _ conditions: String) -> String {
        let size = [UInt8(size >> 8), UInt8(size & 0xFF)].hex
        return "00E0000023 6221 82020100 8002\(size) 8302\(name) 85020000 860F\(conditions)00000000000000"
    }

    /// A new token, formatted as the vendor's library does it, with the minidriver's files and a label.
    private static func formatted() throws -> EmulatedCard {
        let card = try EmulatedCard.usb()
        identify(card)
        send(card, ["00CA010126", "00CA010126"] + Format.vendorCommands())
        send(card, ["0020000108" + PIN.administrator, "00A40804061000 1002 FFF0"])
        let cardIdentifier = data(card.send("0084000010"))
        for (name, content) in [
            ("0010", cardIdentifier), ("0011", "000000000000"), ("0012", "6D73637000000000"),
        ] {
            let size = content.count / 2
            send(card, [elementaryFile(name, size: size, "43000100000000 01"), command("00D60000", content)])
        }
        send(card, ["8040000000", "0020000208" + PIN.user, "00A4080404 10001000"])
        send(card, [elementaryFile("1000", size: 8 + label.count, "43000200000000 02")])
        send(card, ["00D6000008 544E030000000000", command("00D60008", label.hex)])
        send(card, ["00D6000602" + [UInt8(label.count), 0].hex, "8040000000", "00A40004023F0000"])
        card.powerOff()
        return card
    }

    private static func identify(_ card: EmulatedCard) {
        send(card, ["8071000000", "00CA018108", "00CA01890C", "8040000000", "00CA013204"])
        for name in ["00FA", "FFFD", "FFFE"] { #expect(card.send("00A4080406 10001002" + name + "00") == "6a82") }
        for page in ["10", "20", "30"] { #expect(card.send("8059\(page)0000") == "6d00") }
    }

    @Test("The label and the minidriver's files are read as they were written")
    func format() throws {
        let card = try Self.formatted()
        #expect(card.label == "Тестовый токен")
        Self.send(card, ["00A4080406 100010001000 FF"])
        #expect(card.send("00B0000008") == "544e03000000" + [UInt8(Self.label.count), 0].hex + "9000")
        Self.send(card, ["00A4080408 10001002FFF00012 FF"])
        #expect(card.send("00B0000008") == "6d736370000000009000")
        #expect(card.send("00D6000001 00") == "6982", "the administrator writes it")
    }

    /// A record of the vendor's format: header and items, each a code and a length, little-endian.
    private static func record(_ kind: String, _ flags: String, _ number: String) -> [UInt8] {
        let items: [(code: UInt8, value: [UInt8])] = [
            (0x00, [UInt8]("Rutoken test key label".utf8)), (0x02, [UInt8](repeating: 0x31, count: 16)),
            (0x0C, [UInt8](hex: "06072a850302022301")), (0x0D, [UInt8](hex: "06082a85030701010202")),
            (0x0E, [UInt8](hex: "06092a8503070102050101")),
        ]
        return [UInt8](hex: kind + "01000000" + flags + number + "00")
            + items.flatMap { [$0.code, 0, UInt8($0.value.count), 0] + $0.value }
    }

    @Test("A key pair has two records of 98 bytes and its places in the index, and goes with all of them")
    func keyPair() throws {
        let card = try Self.formatted()
        Self.identify(card)
        Self.send(card, ["00CA013204", "807E320104", "0020000208" + PIN.user])
        for directory in ["6001", "6002", "6003", "6004"] {
            Self.send(card, ["00A4080406 10001000" + directory + "FF"])
            #expect(card.send("00A4000400") == "6a82", "no key yet")
        }
        for half in [KeyFiles.privateKey("02"), KeyFiles.publicKey("02")] { Self.send(card, ["00E0000027" + half]) }
        let point = [UInt8](hex: data(card.send("0046800200")))

        let records = [
            ("416D", Self.record("5072", "4a01", "02"), "43020200000000 02"),
            ("405B", Self.record("506b", "6400", "02"), "43000200000000 02"),
        ]
        for (name, content, conditions) in records {
            #expect(content.count == 98)
            #expect(card.send("00A4080406 10001001" + name + "FF") == "6a82", "a free identifier")
            Self.send(card, ["00A4080404 10001001", Self.elementaryFile(name, size: 98, conditions)])
            Self.send(card, [Self.command("00D60000", content.hex)])
        }
        Self.send(card, ["00A4080404 10001001", Self.elementaryFile("8000", size: 256, "43000200000000 02")])
        Self.send(card, ["00D600000A 525001000001 6D41 5B40", "8040000200", "8040000000"])

        Self.send(card, ["00A4080406 100010018000 FF"])
        #expect(card.send("00B000000E") == "5250010000016d415b4000000000" + "9000")
        Self.send(card, ["00A4080406 10001001416D FF"])
        #expect(card.send("00B0000062") == "6982", "the private key's record is the user's")
        Self.send(card, ["00CA013204", "807E320104", "0020000208" + PIN.user, "0022F400", "002241B603840102"])
        #expect(card.send("00B0000062") == records[0].1.hex + "9000")
        let signature = card.send("002A9E9A20" + Signing.hash + "40")
        #expect(try Signing.isValid(signature, hash: Signing.hash, point: point, curve: .cryptoProA))

        Self.send(card, ["00A4080404 10001001", "00E4000002 416D", "00E4000002 405B"])
        for directory in ["6001", "6002"] {
            Self.send(card, ["00A4080406 10001000" + directory, "00E4000002 0002"])
        }
        Self.send(card, ["00A4080406 100010018000", "00D6000604 6DC1 5BC0", "8040000000"])
        #expect(card.send("00B000000E") == "5250010000016dc15bc000000000" + "9000")
        #expect(card.send("00A4080406 10001001416D FF") == "6a82")
    }
}
