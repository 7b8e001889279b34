// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import GOST
import Secrets
import TestSupport
import Testing
import Token

/// The driver sends the layouts of the reference; each is written out here as it is there.
@Suite("The driver's commands, byte for byte (Card, 6.4, 7, 8, 9, 10, 11 and 13.1)")
struct CommandBytesTests {
    /// The commands of `call`, without selections of files, the serial number and the change counter.
    static func sent(_ driver: Driver, _ call: () throws -> Void) rethrows -> [String] {
        let before = driver.reader.sent.count
        try call()
        return driver.reader.sent.dropFirst(before).map(\.hex).filter { command in
            !["00a4", "00b0"].contains(command.prefix(4)) && !command.hasPrefix("00ca0132")
                && !command.hasPrefix("00ca0181")
        }
    }

    static func expect(
        _ commands: [String], _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(commands == expected.map { [UInt8](hex: $0).hex }, sourceLocation: sourceLocation)
    }

    static let logIn = "0020000208 3132333435363738"
    static let logInOfficer = "0020000108 3837363534333231"
    private static let label = "Rutoken test key label"
    static let zeros = "00000000000000"

    private static let pair = NewPair(
        .gost(
            GOSTKey(
                .cryptoProA, gostR3411Parameters: [UInt8](hex: "06 08 2A 85 03 07 01 01 02 02"),
                gost28147Parameters: [UInt8](hex: "06 09 2A 85 03 07 01 02 05 01 01"))),
        label: Array(label.utf8), id: [UInt8](repeating: 0x31, count: 16))

    /// A record of 98 bytes, as it was seen on tokens.
    private static func keyRecord(_ magic: String, _ flags: String, _ number: String) -> [UInt8] {
        [UInt8](hex: magic + "01000000" + flags + number + "00") + [UInt8](hex: "00001600") + Array(label.utf8)
            + [UInt8](hex: "02001000") + [UInt8](repeating: 0x31, count: 16)
            + [UInt8](hex: "0C000900 06072A850302022301 0D000A00 06082A85030701010202")
            + [UInt8](hex: "0E000B00 06092A8503070102050101")
    }

    /// CREATE FILE of a record or an index: of this size, readable by these.
    static func elementary(_ file: String, _ size: Int, _ conditions: String) -> String {
        "00E0000023 6221 82020100 8002\([UInt8(size >> 8), UInt8(size & 0xFF)].hex) 8302\(file) 85020000"
            + "860F\(conditions)00000000 02 \(zeros)"
    }

    @Test("a GOST key pair: two key files, two records and their places in the index")
    func keyPair() throws {
        let files = ChosenFiles([0x0228, 0x416D, 0x405B])
        let driver = try Driver.loggedIn(.usb) { $0.random = files }
        let scalar = Secret(copying: [UInt8](1...32))
        let imported = try driver.token.importKey(scalar, as: Self.pair.privateKey)
        try driver.token.delete(imported)
        var point: [UInt8] = []
        let commands = try Self.sent(driver) {
            point = try #require(try driver.token.generate(Self.pair).0.value)
        }
        let publicRecord = Self.keyRecord("506B", "6400", "01") + [UInt8](hex: "08004000") + point
        let privateRecord = Self.keyRecord("5072", "4A01", "01")
        #expect(privateRecord.count == 98)
        Self.expect(
            commands,
            [
                Self.logIn,
                "00E0000027 6225 80020020 82021000 83020001 860F47020202000000 02\(Self.zeros) 8506032000AA0000",
                "00E0000027 6225 80020040 82021000 83020001 860F46000200000000 02\(Self.zeros) 8506132000AA0000",
                "0046800100", Self.elementary("416D", publicRecord.count, "430002"),
                "00D60000A6" + publicRecord.hex, Self.elementary("405B", 98, "430202"),
                "00D6000062" + privateRecord.hex, "00D6000804 6D41 5B40", "8040 0002",
            ])
        #expect(try driver.token.objects().keys.count == 2)
        let card = driver.reader.card
        #expect(card.process([UInt8](hex: "00A4080406 1000 1001 8000")) == [0x90, 0x00])
        let content = card.process([UInt8](hex: "00B0000000"))
        #expect(content.prefix(14).hex == [UInt8](hex: "52 50 01 00 00 01 28 82 6D 41 5B 40 00 00").hex)
        #expect(content.count == 258 && content[12..<256].allSatisfy { $0 == 0 })
    }

    @Test("the index is made with the first record, of 256 bytes")
    func index() throws {
        let driver = try Driver.loggedIn(.usb) { $0.random = ChosenFiles([0x416D, 0x416E]) }
        for (directory, magic) in [("8001", "5250"), ("7E00", "4F53")] {
            let commands = try Self.sent(driver) {
                if directory == "8001" {
                    _ = try driver.token.store(
                        .certificate(label: [0x41], id: [], subject: [], value: [0x30, 0x00]))
                } else {
                    _ = try driver.token.store(.data(label: [0x41], value: [], isPrivate: true))
                }
            }
            let name = directory == "8001" ? "8000" : "7E00"
            #expect(commands.count == 7)
            Self.expect(
                Array(commands.prefix(3)),
                [Self.logIn, Self.elementary(name, 256, "430002"), "00D6000006 \(magic) 0100 0001"])
        }
    }

    @Test("a certificate: 463 bytes of a record that everybody may read")
    func certificate() throws {
        let driver = try Driver.loggedIn(.usb) { $0.random = ChosenFiles([0x1234]) }
        let value = (0..<335).map { UInt8(truncatingIfNeeded: $0) }
        let subject = [UInt8](repeating: 0x30, count: 35)
        let certificate = TokenObject.certificate(
            label: Array(Self.label.utf8), id: [UInt8](repeating: 0x31, count: 16), subject: subject, value: value)
        let commands = try Self.sent(driver) { _ = try driver.token.store(certificate) }
        let record =
            [UInt8](hex: "4374 01000000 0100 0000 00001600") + Array(Self.label.utf8) + [UInt8](hex: "01002300")
            + subject + [UInt8](hex: "02001000") + certificate.id + [UInt8](hex: "08004F01") + value
            + [UInt8](hex: "0B000400 00000000 0F000100 00 10000400 00000000 11000400 00000000")
        #expect(record.count == 463)
        Self.expect(
            Array(commands.dropFirst(3)),
            [
                Self.elementary("1234", 463, "430000"), "00D60000FF" + record.prefix(255).hex,
                "00D600FFD0" + record.dropFirst(255).hex, "00D6000602 3412", "8040 0002",
            ])
    }

    @Test("RSA: key files of 2048 bits, generation with the exponent, import in pieces with a header each")
    func rsa() throws {
        let driver = try Driver.loggedIn(.usb)
        let generation = try Self.sent(driver) { _ = try driver.generateRSA(2048) }
        Self.expect(
            Array(generation[1...3]),
            [
                "00E0000027 6225 80020288 82021000 83020001 860F47020202000000 02\(Self.zeros) 8506230000AA0000",
                "00E0000027 6225 80020180 82021000 83020001 860F46000200000000 02\(Self.zeros) 8506330000AA0000",
                "0046800108 A606 9404 01000100 00",
            ])
        let numbers = try RSANumbers.privateKey(bits: 2048, by: OpenSSL())
        let pieces = try Self.sent(driver) { _ = try driver.importRSA(numbers) }
        // A number that happens to be short is filled up.
        let halves = [3, 4, 7, 5, 6].map { index in
            [UInt8](numbers[index].reversed()) + [UInt8](repeating: 0, count: 128 - numbers[index].count)
        }
        let gap = [UInt8](repeating: 0, count: 4)
        let value = [halves[0], gap, halves[1], gap, halves[2], halves[3], halves[4]].flatMap { $0 }
        #expect(value.count == 0x288)
        Self.expect(
            pieces.filter { $0.dropFirst(2).hasPrefix("24") },
            [
                "10240100FF 80020288 A5F9" + value.prefix(249).hex, "10240100FF A5FD" + value[249..<502].hex,
                "0024010094 A592" + value[502...].hex,
            ])
    }

    @Test("signatures and cryptograms: the key's number, then the hash or the block, the least byte first")
    func computing() throws {
        let driver = try Driver.loggedIn(.usb)
        let digest = [UInt8](0..<32)
        let key = try driver.token.generate(Self.pair).1
        Self.expect(
            try Self.sent(driver) { _ = try driver.token.sign(digest: digest, with: key) },
            [Self.logIn, "0022 41B6 03 840101", "002A 9E9A 20\(digest.hex) 40", "8040 0002"])
        let (publicKey, privateKey) = try driver.generateRSA(1024)
        let block = Driver.block(privateKey)
        let reversed = [UInt8](block.reversed()).hex
        Self.expect(
            try Self.sent(driver) { _ = try driver.token.sign(block: block, with: privateKey) },
            [Self.logIn, "0022 41B6 03 840102", "002A 9E9A 80\(reversed) 80", "8040 0002"])
        Self.expect(
            try Self.sent(driver) { _ = try driver.token.decipher(block: block, with: privateKey) },
            [Self.logIn, "0022 41B8 03 840102", "002A 8086 80\(reversed) 80", "8040 0002"])
        let long = try driver.generateRSA(2048).1
        let other = [UInt8](Driver.block(long).reversed())
        Self.expect(
            try Self.sent(driver) { _ = try driver.token.sign(block: other.reversed(), with: long) },
            [
                Self.logIn, "0022 41B6 03 840103", "102A 9E9A FF" + other.prefix(255).hex, "002A 9E9A 01 00 00",
                "8040 0002",
            ])
        #expect(publicKey.modulus?.count == 128)
    }
}
