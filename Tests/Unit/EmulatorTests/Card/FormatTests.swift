// SPDX-License-Identifier: Apache-2.0
import Emulator
import Locking
import TestSupport
import Testing

/// The vendor's format, command by command (Card, 8.2).
enum Format {
    /// - Parameter policy: The right to change the user's PIN: 01 administrator, 02 user, 03 both.
    static func vendor(_ card: EmulatedCard, policy: String = "02", erase: String = "807A0000") {
        for command in vendorCommands(policy: policy, erase: erase) {
            #expect(status(card.send(command)) == "9000", "\(command)")
        }
    }

    static func vendorCommands(policy: String = "02", erase: String = "807A0000") -> [String] {
        let parent = "00A40300"
        var commands = ["80400000", "0020000108" + PIN.administrator, erase]
        commands += [directory("3F00", "47020201000000FF"), directory("6000"), parent]
        commands += [directory("1000"), directory("1000")]
        for number in 1...8 { commands += [directory("600\(number)"), parent] }
        commands += [parent, directory("1001"), directory("8001"), directory("8001"), parent, parent]
        for name in ["8002", "1001"] { commands += [directory(name), parent] }
        commands.append(parent)
        for name in ["1002", "1003", "1004"] { commands += [directory(name), parent] }
        commands.append("00A4080004 10001002")
        for name in ["FFF0", "0013"] { commands.append(directory(name, "43030300000000FF")) }
        for (number, pin, conditions) in [("01", PIN.administrator, "FF01"), ("02", PIN.user, "01" + policy)] {
            let template = "622582021000800200088302 00\(number) 85060106 00AA0000 860F43\(conditions)00000000FF"
            commands.append("00E0000027" + template + "00000000000000")
            commands.append("002401\(number)0E 80020008A608" + pin)
        }
        return commands + ["8040000000", "00A40004023F0000", "80844E19"]
    }

    private static func directory(_ name: String, _ conditions: String = "43020200000000FF") -> String {
        "00E000001F 621D 80020000 82023800 8302\(name) 860F" + conditions + "00000000000000"
    }
}

@Suite("Formatting (Card, 8)")
struct FormatTests {
    @Test("The vendor's format makes the same token that leaves the factory", arguments: ["807A0000", "807A0200"])
    func vendorFormat(erase: String) throws {
        let card = try EmulatedCard.usb()
        let fresh = try EmulatedCard.usb()
        Format.vendor(card, erase: erase)
        for command in [
            "00CA018A04", "00A40804041000100100", "00A408040610001002FFF000", "00A40804021000FF", "00A40004023F0000",
        ] { #expect(card.send(command) == fresh.send(command), "\(command)") }
        #expect(card.send("00CA010226").hasPrefix("62248506010680aa"))
        #expect(card.loginAdministrator() == "9000")
        #expect(card.loginUser() == "9000")
    }

    @Test("Licences, journal, counters and serial number survive; the objects do not")
    func survivors() throws {
        let card = try EmulatedCard.usb()
        Signing.makeKey(card, "01")
        #expect(status(Signing.sign(card, "01", hash: Signing.hash)) == "9000")
        let changes = card.changes
        let journal = card.send("00CA017B00")
        Format.vendor(card)
        #expect(card.changes > changes)
        #expect(card.send("00CA017B00") == journal)
        #expect(card.send("00CA018108") == "000000000e1234569000")
        #expect(card.send("00A4080008 1000100060020001") == "6a82")
    }

    @Test("80 7A needs the administrator, or the administrator's PIN blocked; 80 8A needs nobody")
    func authorisation() throws {
        let card = try EmulatedCard.usb()
        #expect(card.send("807A0000") == "6982")
        card.loginUser()
        #expect(card.send("807A0000") == "6982")
        for _ in 0..<10 { card.send("0020000108" + PIN.wrong) }
        #expect(card.send("807A0000") == "9000")
        #expect(try EmulatedCard.usb().send("808A0000") == "9000")
        #expect(try EmulatedCard.usb().send("807A0100") == "6a86")
        var identity = Identity.usb
        identity.erasesForAdministratorOnly = true
        let strict = try EmulatedCard(identity)
        #expect(strict.send("808A0000") == "6982")
        strict.loginAdministrator()
        #expect(strict.send("808A0000") == "9000")
    }

    @Test("After an erase there is no file, no PIN and no right, and everything may be created")
    func blank() throws {
        let card = try EmulatedCard.usb()
        card.loginAdministrator()
        card.send("807A0000")
        #expect(card.send("00A40000023F0000") == "6a82")
        #expect(card.loginAdministrator() == "6a82")
        #expect(card.send("00CA010126") == "6a88")
        #expect(card.send("00E000001F 6F1D 80020000 82023800 83026000 860F43020200000000FF00000000000000") == "6a82")
    }

    @Test("PSO fails with 6989 until the end of initialisation, which may be repeated")
    func initialisation() throws {
        let card = try EmulatedCard.usb()
        card.send("808A0000")
        #expect(card.send("002A9E9A20" + Signing.hash + "40") == "6989")
        #expect(card.send("002A908001 00 20") == "6989")
        #expect(card.send("80844E19") == "9000")
        #expect(card.send("80844E19") == "9000")
        #expect(card.send("002A9E9A20" + Signing.hash + "40") == "6a88", "no key is set")
        #expect(card.send("80844E1A") == "6a86")
    }

    @Test("A slow token takes the times that were measured on a real one")
    func slow() throws {
        let pauses = Lock<[Int]>([])
        var identity = Identity.usb
        identity.isSlow = true
        let card = try EmulatedCard(identity, pause: { pause in pauses.withLock { $0.append(pause) } })
        Signing.makeKey(card, "01")
        Format.vendor(card)
        #expect(pauses.withLock { $0 } == [300, 2300, 400])
    }

    @Test("The initialisation phase outlives the loss of power")
    func interrupted() throws {
        let memory = VolatileMemory()
        try EmulatedCard.usb(memory).send("808A0000")
        let card = try EmulatedCard(.usb, memory: memory)
        #expect(card.send("002A9E9A20" + Signing.hash + "40") == "6989")
        #expect(card.send("807A0000") == "9000", "a format that was cut off can begin again")
    }
}
