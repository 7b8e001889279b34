// SPDX-License-Identifier: Apache-2.0
import Emulator
import TestSupport
import Testing

@Suite("Batches, token's side (GSC/1, 13.4 and 19)")
struct BatchTests {
    private static let serial = "00CA018108"
    private static let serialReply = "b10a000000000e0000019000"

    /// A batch of the commands, as it is before protection.
    private static func batch(_ commands: [String], goesOn: Bool = false) -> String {
        let data = commands.reduce(into: [UInt8]()) { $0 += TestObjects.object(0xB0, [UInt8](hex: $1)) }
        return raw(data, goesOn: goesOn)
    }

    private static func raw(_ data: [UInt8], goesOn: Bool = false) -> String {
        let p1 = goesOn ? "21" : "20"
        return data.isEmpty ? "8086\(p1)0000" : "8086\(p1)00" + [UInt8(data.count)].hex + data.hex + "00"
    }

    private static func host(_ profile: ChannelProfile, sessions: Int = 4) throws -> ChannelHost {
        var setup = TokenSetup(sessions: sessions)
        setup.identity.channel?.features = ChannelOffer.batch
        return try setup.card().connectedHost(profile)
    }

    @Test(
        "The commands run in order in the session's context, as one command under protection",
        arguments: ChannelProfile.allCases, [1, 4])
    func order(profile: ChannelProfile, sessions: Int) throws {
        let host = try Self.host(profile, sessions: sessions)
        let commands = ["00A4080006100010001000", "00B0000002", Self.serial, "80CA471000", "80400002"]
        let number = host.number
        let answer = host.send(Self.batch(Array(commands.prefix(3))))
        #expect(answer == "b1029000b104544e9000\(Self.serialReply)9000")
        #expect(host.number == number + 1)
        #expect(host.send("00B0000002") == "544e9000", "the file stays selected")
        #expect(host.send(Self.batch(["0020000208" + PIN.user, "80400000"]), padded: true) == "b1029000b10290009000")
        #expect(host.send("0020000208" + PIN.user) == "9000", "the right was given back: not 6F86")
    }

    @Test("N72: P1 = 20 stops after the first error, P1 = 21 goes on; the batch itself succeeds")
    func errorInside() throws {
        let host = try Self.host(.modern)
        let commands = [Self.serial, "00A4000002FFFE", Self.serial]
        let stopped = Self.serialReply + "b1026a82"
        #expect(host.send(Self.batch(commands)) == stopped + "9000")
        #expect(host.send(Self.batch(commands, goesOn: true)) == "\(stopped)\(Self.serialReply)9000")
        #expect(host.send(Self.batch([commands[1]])) == "b1026a829000")
        #expect(host.send(Self.batch(["00A4080006100010001000", "00B0000040", Self.serial])).hasSuffix("62829000"))
    }

    @Test(
        "N70: an empty batch, and one with any command that may not be in it, answers 6A80 and nothing is executed",
        arguments: [
            "", "b000", "b003008400", "b00500ca0181", "b10500ca018108", "b00580862000 00", "b00480860f00",
            "b00480861001",
            "b00480e44701", "b0050c84000008", "b0050484000008", "b0050184000008", "b006102a9e9a0100",
            "b0050084000008 00",
            "b00700840000000008", "b0052084000008", "b00590840000 08", "b081050084000008",
            "b00c00a408000000060102030405",
        ])
    func malformed(data: String) throws {
        let host = try Self.host(.modern)
        let bad = [UInt8](hex: data)
        #expect(host.send(Self.raw(bad)) == "6a80")
        let wrong = TestObjects.object(0xB0, [UInt8](hex: "0020000208" + PIN.wrong))
        if !bad.isEmpty { #expect(host.send(Self.raw(wrong + bad, goesOn: true)) == "6a80") }
        #expect(host.send("00200002") == "63ca", "no try was spent")
    }

    @Test("N71: 17 commands, or replies that could be longer than E1.84, answer 6700 and nothing is executed")
    func tooMuch() throws {
        let host = try Self.host(.modern)
        let wrong = "0020000208" + PIN.wrong
        #expect(host.send(Self.batch([wrong] + Array(repeating: "00200002", count: 16))) == "6700")
        #expect(host.send(Self.batch(["0084000000"])) == "6700")
        // B1 02 and a status word, B1 81 E7 and 231 bytes make 238.
        #expect(host.send(Self.batch([wrong, "00840000E6"])) == "6700")
        #expect(host.send(Self.batch([wrong, "00840000E6"], goesOn: true)) == "6700")
        #expect(host.send("00200002") == "63ca", "no try was spent")
        #expect(host.send(Self.batch(["00200002", "00840000E5"], goesOn: true)).hasSuffix("90009000"))
        #expect(host.send(Self.batch(["00840000E9"])).hasSuffix("90009000"))
        #expect(host.send(Self.batch(["00840000EA"])) == "6700")
        #expect(host.send(Self.batch(Array(repeating: "00200002", count: 16), goesOn: true)).count == 16 * 8 + 4)
    }

    @Test("N73: without the feature a batch answers protected 6A86, in plain 6987 or 6985")
    func noFeature() throws {
        var setup = TokenSetup(sessions: 4)
        setup.identity.channel?.features = nil
        let host = try setup.card().connectedHost(.modern)
        #expect(host.send(Self.batch([Self.serial])) == "6a86")
        #expect(host.card.send(Self.batch([Self.serial])) == "6987")
        setup.identity.channel?.policy = 0
        setup.identity.channel?.features = ChannelOffer.batch
        #expect(try setup.card().send(Self.batch([Self.serial])) == "6985")
    }

    @Test("A reply longer than its Le is cut, and the rest waits for GET RESPONSE inside the batch or after it")
    func remainder() throws {
        let host = try Self.host(.modern)
        let full = host.send("00A4080006100010001000") + host.send("00A408000610001000100000")
        let expected = data(String(full.dropFirst(4)))
        let count = expected.count / 2 - 16
        let select = "00A408000610001000100010"
        let first = "b112" + expected.prefix(32) + "61" + [UInt8(count)].hex
        let inside = host.send(Self.batch([select, "00C00000" + [UInt8(count)].hex]))
        let second = "b1" + [UInt8(count + 2)].hex + expected.dropFirst(32) + "9000"
        #expect(inside == first + second + "9000")
        #expect(host.send(Self.batch([select])) == first + "9000")
        #expect(host.send("00C0000000") == expected.dropFirst(32) + "9000")
        #expect(
            host.send(Self.batch([select, Self.serial, "00C0000008"], goesOn: true)).hasSuffix("b1026985" + "9000"))
    }

    @Test("A batch is no link of a chain, and ends one")
    func chains() throws {
        let host = try Self.host(.modern)
        #expect(host.send("90" + Self.batch([Self.serial]).dropFirst(2)) == "6884")
        #expect(host.send("9086110302" + "8001") == "6884", "nor is another of the channel's commands")
        #expect(host.send("90CA470000") == "6884")
        #expect(host.send("10D6000002AABB") == "9000")
        #expect(host.send(Self.batch([Self.serial])) == Self.serialReply + "9000")
        #expect(host.send("00D6000001CC") == "6a82", "the last link stands for itself, and no file is selected")
    }

    @Test("N79: a format within a batch clears every session's context and the batch goes on")
    func formatInside() throws {
        let host = try Self.host(.classic)
        let other = try host.card.connectedHost(.modern)
        #expect(other.send("0020000208" + PIN.user) == "9000")
        #expect(host.send("0020000108" + PIN.administrator) == "9000")
        let answer = host.send(Self.batch(["807A0000", Self.serial, "80844E19"]))
        #expect(answer == "b1029000\(Self.serialReply)b10290009000")
        #expect(other.send("0020000208" + PIN.user) == "6a82", "the PIN is gone, and so is the right")
        #expect(host.send(Self.serial).hasSuffix("9000"))
    }

    @Test("A memory that fails in the middle leaves what was executed before")
    func powerCut() throws {
        var setup = TokenSetup(sessions: 2)
        let memory = FallibleMemory(VolatileMemory())
        setup.memory = memory
        let host = try setup.card().connectedHost(.modern)
        memory.fail(at: 3)
        let wrong = "0020000208" + PIN.wrong
        _ = host.send(Self.batch([wrong, wrong], goesOn: true))
        let again = try EmulatedCard(setup.identity, memory: memory)
        #expect(again.serial == host.card.serial)
        host.card.reset()
        #expect(try host.open() == "6400", "the memory is still without power")
        memory.fail(at: .max)
        #expect(try host.open() == "9000")
        #expect(host.send("00200002") == "63c9", "one of two")
    }
}
