// SPDX-License-Identifier: Apache-2.0
import APDU
import TestSupport
import Testing

/// Commands as they are, without a driver. None of them changes anything, and none spends a try.
extension Contract {
    @Suite("What a card answers to single commands")
    struct CommandTests {
        /// Sends a command and collects its answer, which a T=0 card gives piece by piece.
        private static func send(_ link: any CardLink, _ command: String) throws -> Response {
            var response = try link.transmit(Command(parsing: [UInt8](hex: command).span))
            var data = response.data
            while let available = response.status.bytesAvailable, data.count < 256 {
                response = try link.transmit(Command(0x00, 0xC0, 0x00, 0x00, ne: available))
                data += response.data
            }
            return Response(response.status, data: data)
        }

        @Test("the serial number is eight bytes, and the same in both places", arguments: Subject.plain)
        func serial(_ subject: Subject) throws {
            let link = try subject.connect()
            let object = try Self.send(link, "00CA018108")
            #expect(object.status == .success && object.data.count == 8)
            let information = try Self.send(link, "8071000000")
            guard information.status == .success else { return }
            var cursor = ByteCursor(information.data)
            var token = ByteCursor(try cursor.object(0x40))
            #expect(try token.object(0x01)[9..<17] == object.data[...])
        }

        @Test("both PINs tell their limits, tries and conditions", arguments: Subject.plain, ["01", "02"])
        func pinTemplates(_ subject: Subject, pin: String) throws {
            let link = try subject.connect()
            let template = try Self.send(link, "00CA01\(pin)26")
            #expect(template.status == .success && template.data.count == 38)
            var outer = ByteCursor(template.data)
            var cursor = ByteCursor(try outer.object(0x62))
            let properties = try cursor.object(0x85, length: 6)
            #expect(properties[0] == 0x01)
            #expect(properties[3] >> 4 >= properties[3] & 0x0F)
            _ = try cursor.object(0x82, length: 2)
            #expect(try cursor.object(0x83, length: 2).hex == "00\(pin)")
            #expect(try cursor.object(0x8A, length: 1) == [0x05])
            #expect(try cursor.object(0x86, length: 15)[0] == 0x43)
        }

        @Test(
            "the tries left are told without a PIN, as the template tells them", arguments: Subject.plain, ["01", "02"])
        func tries(_ subject: Subject, pin: String) throws {
            let link = try subject.connect()
            var outer = ByteCursor(try Self.send(link, "00CA01\(pin)26").data)
            var cursor = ByteCursor(try outer.object(0x62))
            let left = Int(try cursor.object(0x85)[3] & 0x0F)
            let status = try Self.send(link, "002000\(pin)").status
            #expect(left > 0 ? status.triesLeft == left : status == .authenticationBlocked)
        }

        @Test("an answer is never longer than was asked for", arguments: Subject.plain, [1, 8, 32, 256])
        func lengths(_ subject: Subject, count: Int) throws {
            let link = try subject.connect()
            let le = [UInt8(truncatingIfNeeded: count)].hex
            let random = try Self.send(link, "00840000\(le)")
            #expect(random.status == .success && random.data.count == count)
            if count > 1 { #expect(try Self.send(link, "00840000\(le)").data != random.data) }
            #expect(try Self.send(link, "00CA013204").data.count == 4)
        }

        @Test("what there is not is refused by name", arguments: Subject.plain)
        func absence(_ subject: Subject) throws {
            let link = try subject.connect()
            #expect(try Self.send(link, "00A40804 06 1000 1002 FFFE 00").status == .fileNotFound)
            #expect(try Self.send(link, "00CA017F00").status == .referencedDataNotFound)
            #expect(try Self.send(link, "8055000100").status == .instructionNotSupported)
        }

        @Test("rights are reset by a command of four or of five bytes", arguments: Subject.plain)
        func encodings(_ subject: Subject) throws {
            let link = try subject.connect()
            for command in ["80400000", "8040000000", "80400002", "8040000200"] {
                #expect(try Self.send(link, command).status == .success)
            }
        }

        @Test(
            "a directory is listed file by file, each with its identifier, kind and conditions",
            arguments: Subject.plain)
        func listing(_ subject: Subject) throws {
            let link = try subject.connect()
            #expect(try Self.send(link, "00A40804 04 1000 1000 00").status == .success)
            var response = try Self.send(link, "00A4000400")
            var identifiers: Set<String> = []
            while response.status == .success {
                var outer = ByteCursor(response.data)
                var cursor = ByteCursor(try outer.object(0x62))
                var objects: [UInt8: [UInt8]] = [:]
                while !cursor.isAtEnd {
                    let (tag, value) = try cursor.object()
                    objects[tag] = value
                }
                #expect(objects[0x82]?.count ?? 0 >= 2 && objects[0x86]?.count == 15)
                let identifier = try #require(objects[0x83]).hex
                #expect(identifiers.insert(identifier).inserted)
                // The first file becomes the current directory if it is one.
                _ = try Self.send(link, "00A40804 04 1000 1000 00")
                response = try Self.send(link, "00A4000602\(identifier)00")
            }
            #expect(response.status == .fileNotFound)
            #expect(identifiers.isSuperset(of: ["6001", "6002", "6003", "6005"]))
        }

        @Test("without a login a private key does not compute, and nothing is written", arguments: Subject.plain)
        func rights(_ subject: Subject) throws {
            let link = try subject.connect()
            _ = try Self.send(link, "8040000000")
            _ = try Self.send(link, "00A40804 04 1000 1001 00")
            let file = "621D 80020010 82020100 83024242 860F43000200000000020000000000 0000"
            #expect(try Self.send(link, "00E000001F \(file)").status == .securityStatusNotSatisfied)
            #expect(try Self.send(link, "00DA01620402000000").status == .securityStatusNotSatisfied)
            #expect(try Self.send(link, "002C0302").status == .securityStatusNotSatisfied)
        }
    }
}
