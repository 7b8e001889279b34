// SPDX-License-Identifier: Apache-2.0
import Emulator
import Secrets
import TestSupport
import Testing

@Suite("Power cuts at each write of the card's commands")
struct CardPowerCutTests {
    private static let changedPIN = [UInt8]("11223344".utf8).hex

    /// A host's commands to make a key pair, with a record and an index as the vendor's library writes them.
    private static func keyGeneration(_ rsa: Bool) -> [String] {
        let halves =
            rsa
            ? [
                "6F25800200A8820210008302001185062300 00AA0000860F46000202000000020000000000 0000",
                "6F2580020060820210008302001185063300 00AA0000860F46000200000000020000000000 0000",
            ] : [KeyFiles.privateKey("11"), KeyFiles.publicKey("11")]
        return ["0020000208" + PIN.user, "00A4080004 10001001"] + halves.map { "00E0000027" + $0 }
            + [rsa ? "0046801108 A606940401000100 00" : "0046801100"] + objectCreation.dropFirst(2)
    }

    /// An index and a record.
    private static let objectCreation = [
        "0020000208" + PIN.user, "00A4080004 10001001",
        "00E000001F 621D 80020100 82020100 83028000 860F43000200000000020000000000 0000",
        "00D6000006 525001000001", "00E000001F 621D 80020062 82020100 8302416D 860F43020200000000020000000000 0000",
        "00D600000A 50720100000064001100", "00A4080006 10001001 8000", "00D6000602 6D41",
    ]

    private static let pinChange = [
        "0020000208" + PIN.user, "002401020E 80020008 A608" + changedPIN, "80400000", "0020000208" + changedPIN,
        "80400000", "0020000108" + PIN.administrator, "002C0302", "00DA01620402000000",
    ]

    private static let flows: [(name: String, commands: [String])] = [
        ("GOST key", keyGeneration(false)), ("RSA key", keyGeneration(true)), ("object", objectCreation),
        ("format", Format.vendorCommands()), ("restoration", Format.vendorCommands(erase: "807A0200")),
        ("PIN change", pinChange),
    ]

    /// Sends commands until the power is gone. Gives the number of those that were answered.
    private static func run(_ commands: [String], on card: EmulatedCard) -> Int {
        for (index, command) in commands.enumerated() where status(card.send(command)) == "6400" { return index }
        return commands.count
    }

    @Test(
        "Whatever write does not happen, every command took place as a whole or not at all, and no try is lost",
        arguments: flows.indices)
    func everyWrite(flow: Int) throws {
        let (name, commands) = Self.flows[flow]
        var cuts = 0
        for write in 1... {
            let memory = FallibleMemory(VolatileMemory())
            let card = try EmulatedCard.usb(memory)
            memory.fail(at: write)
            let answered = Self.run(commands, on: card)
            memory.fail(at: .max)
            let after = try EmulatedCard(.usb, memory: memory)
            try Self.expectState(of: after, afterCommands: Array(commands.prefix(answered)))
            guard answered < commands.count else { break }
            cuts += 1
            #expect(Self.canGoOn(after, commands), "\(name), write \(write)")
        }
        #expect(cuts >= 4 && cuts <= commands.count + 3, "\(name): \(cuts)")
    }

    /// The token's content is that of one without a power cut after these commands. The command in which the power was
    /// cut can have spent a try at most, which is given back by the right PIN.
    private static func expectState(of card: EmulatedCard, afterCommands commands: [String]) throws {
        let other = try EmulatedCard.usb()
        #expect(run(commands, on: other) == commands.count)
        other.powerOff()
        for question in ["00CA013204", "00CA016204", "00CA018A04", "00CA017B00"] {
            #expect(card.send(question) == other.send(question))
        }
        for pin in ["01", "02"] {
            let (tries, expected) = (card.send("002000\(pin)"), other.send("002000\(pin)"))
            #expect(tries == expected || tries == "63c9" && expected == "63ca")
        }
        for path in ["1000", "100010018000", "10001001416D", "1000100060020011", "1000100060010011"] {
            let path = [UInt8](hex: path)
            let select = "00A40804" + [UInt8(path.count)].hex + path.hex
            #expect(card.send(select + "FF") == other.send(select + "FF"))
            #expect(card.send("00B0000062") == other.send("00B0000062") || path.count == 8)
        }
    }

    /// A complete key signs; an incomplete one can be made again.
    private static func canGoOn(_ card: EmulatedCard, _ commands: [String]) -> Bool {
        let logins = [PIN.user, changedPIN].map { card.send("0020000208" + $0) }
        if !logins.contains("9000") {
            // The format was cut off, and begins again.
            return Format.vendorCommands().dropFirst(2).allSatisfy { status(card.send($0)) == "9000" }
                && card.loginUser() == "9000"
        }
        let isThere = status(card.send("002241B603840111")) == "9000"
        let signature = card.send("002A9E9A20" + Signing.hash + "40")
        guard isThere, signature != "6a88", signature != "6700" else {
            // Files of a key without a value are deleted, and the key is made again.
            for directory in ["6001", "6002"] {
                card.send("00A4080006 10001000" + directory)
                card.send("00E4000002 0011")
            }
            card.send("80844E19")
            return Signing.makeKey(card, "11").count == 64
                && status(Signing.sign(card, "11", hash: Signing.hash)) == "9000"
        }
        return data(signature).count == 128 || status(signature) == "6989"
    }
}
