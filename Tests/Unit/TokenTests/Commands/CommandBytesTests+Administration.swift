// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import Secrets
import TestSupport
import Testing
import Token

/// Formatting, PINs and the name.
extension CommandBytesTests {
    @Test("formatting: both PINs, the end of the phase, the minidriver's files and the name")
    func formatting() throws {
        let driver = try Driver(EmulatedReader(.usb))
        let format = TokenFormat(
            securityOfficer: .init(value: .of("87654321")), user: .init(value: .of("12345678"), tries: 5),
            changePolicy: 0x02, label: Array("Kanal".utf8), isRepair: false)
        let commands = try Self.sent(driver) { try driver.token.format(format, pin: .of("87654321")) }
        let identifier = try #require(commands.first { $0.hasPrefix("00d6000010") })
        let pins = [
            "00E0000027 6225 82021000 80020008 83020001 8506010600AA0000 860F43FF0100000000FF \(Self.zeros)",
            "002401010E 80020008 A608 3837363534333231",
            "00E0000027 6225 82021000 80020008 83020002 850601060055 0000 860F43010200000000FF \(Self.zeros)",
            "002401020E 80020008 A608 3132333435363738", "8040 0000", "8084 4E19",
        ]
        let files = [
            Self.logInOfficer, "00840000 10", Self.minidriver("0010", 16, "4300010000000001"), identifier,
            Self.minidriver("0011", 6, "4300030000000003"), "00D6000006 000000000000",
            Self.minidriver("0012", 8, "4300030000000003"), "00D6000008 6D73637000000000", Self.logIn,
            Self.elementary("1000", 13, "430002"), "00D6000008 544E 03000000 0000", "00D6000805 4B616E616C",
            "00D6000602 0500", "8040 0000",
        ]
        Self.expect(commands, [Self.logInOfficer, "807A 0000"] + Self.directories + pins + files)
    }

    /// CREATE FILE of each directory, in the vendor's order.
    private static var directories: [String] {
        let names = [
            "3F00", "6000", "1000", "1000", "6001", "6002", "6003", "6004", "6005", "6006", "6007", "6008", "1001",
            "8001", "8001", "8002", "1001", "1002", "1003", "1004", "FFF0", "0013",
        ]
        let conditions = ["3F00": "47020201", "FFF0": "43030300", "0013": "43030300"]
        return names.map { name in
            "00E000001F 621D 80020000 82023800 8302\(name) 860F\(conditions[name] ?? "43020200")000000 FF \(zeros)"
        }
    }

    private static func minidriver(_ name: String, _ size: UInt8, _ conditions: String) -> String {
        "00E0000023 6221 82020100 800200\([size].hex) 8302\(name) 85020000 860F\(conditions) \(zeros)"
    }

    @Test("the factory state: its own erase command, and the emitent key that nobody uses or deletes")
    func factoryState() throws {
        let driver = try Driver(EmulatedReader(.usb))
        let value = [UInt8](1...32)
        let format = TokenFormat(
            securityOfficer: .init(value: .of("87654321")), user: .init(value: .of("12345678")), changePolicy: 0x02,
            label: [], isRepair: false, restoresFactoryState: true,
            emitentKey: .init(.kuznyechik, value: Secret(copying: value)))
        let commands = try Self.sent(driver) { try driver.token.format(format, pin: .of("87654321")) }
        Self.expect(Array(commands.prefix(2)), [Self.logInOfficer, "807A 0200"])
        let place = try #require(commands.firstIndex { $0.contains("830200f0") })
        Self.expect(
            Array(commands[place...(place + 1)]),
            [
                "00E0000027 6225 82021000 80020020 830200F0 8506820200AA4100 860F47FF0000000000FFFF0000000000FF",
                "0024010026 80020020 A520\(value.hex)",
            ])
    }

    @Test("PINs: change, unblocking, the default value and the change that is demanded")
    func pins() throws {
        let driver = try Driver(EmulatedReader(.usb))
        let changed = try Self.sent(driver) {
            try driver.token.changePIN(of: .user, from: .of("12345678"), to: .of("ключ"))
            try driver.token.changePIN(of: .user, from: .of("ключ"), to: .of("12345678"))
        }
        let key = [UInt8]("ключ".utf8).hex
        Self.expect(
            changed.filter { !$0.hasPrefix("8040") },
            [
                Self.logIn, "002401020E 80020008 A608\(key)", "0020000208\(key)",
                "002401020E 80020008 A608 3132333435363738",
            ])
        try driver.token.logIn(as: .securityOfficer, pin: .of("87654321"))
        let calls: [(command: String, call: () throws -> Void)] = [
            ("002C 0302", { try driver.token.unblockUserPIN() }),
            ("00DA0161 0A A608 3837363534333231", { try driver.token.setDefaultUserPIN(to: .of("87654321")) }),
            ("00DA0161 02 A600", { try driver.token.setDefaultUserPIN(to: Secret(count: 0)) }),
            ("00DA0162 04 02000000", { try driver.token.forceUserPINChange() }),
            (
                "00DA0174 48" + [UInt8](repeating: 7, count: 72).hex,
                { try driver.token.setLicence(3, to: [UInt8](repeating: 7, count: 72)) }
            ),
        ]
        for (command, call) in calls {
            Self.expect(try Self.sent(driver, call), [Self.logInOfficer, command, "8040 0001"])
        }
        // The SO may not change User's PIN with the conditions of the factory.
        let refused = Self.sent(driver) {
            #expect(throws: TokenError.forbiddenByPolicy) { try driver.token.resetUserPINToDefault() }
        }
        Self.expect(refused, ["00CA 0102 26"])
    }

    @Test("a local PIN: made by User with User's least length, then changed by itself")
    func localPIN() throws {
        let driver = try Driver(EmulatedReader(.usb))
        let pin = try #require(LocalPIN(number: 0x1F))
        let commands = try Self.sent(driver) {
            try driver.token.setLocalPIN(pin, to: .of("000000"), presenting: .of("12345678"))
            try driver.token.setLocalPIN(pin, to: .of("111111"), presenting: .of("000000"))
        }
        Self.expect(
            commands,
            [
                Self.logIn, "00CA0102 26",
                "00E0000027 6225 82021000 80020006 8302001F 8506210600AA0000 860F43010400000000FF001F000000001F",
                "002401000C 80020006 A606 303030303030", "8040 0002", "0020009F06 303030303030",
                "002401000C 80020006 A606 313131313131", "8040 001F",
            ])
    }

    @Test("the name: with a new file if it does not fit, the length last")
    func label() throws {
        let driver = try Driver.loggedIn(.usb)
        try driver.token.setLabel([0x78])
        let name = [UInt8]("Тестовый токен".utf8)
        let commands = try Self.sent(driver) { try driver.token.setLabel(name) }
        let length = [UInt8(name.count)].hex
        Self.expect(
            commands,
            [
                Self.logIn, "00E4000002 1000", Self.elementary("1000", 8 + name.count, "430002"),
                "00D6000008 544E 03000000 0000", "00D60008\(length)" + name.hex, "00D6000602 \(length)00", "8040 0002",
            ])
    }
}
