// SPDX-License-Identifier: Apache-2.0
import Emulator
import GOST
import Foundation
import Secrets
import Storage
import TestSupport
import Testing

@Suite("The card's memory")
struct StateTests {
    /// Commands of every kind that change the state, and whether they count as changes.
    private static let commands: [String] = [
        "0020000208" + PIN.user, "00E0000027" + KeyFiles.privateKey("01"), "00E0000027" + KeyFiles.publicKey("01"),
        "0046800100", "002241B603840101", "002A9E9A20" + Signing.hash + "40", "00A40800041000100000",
        "00E0000023" + FileTests.label, "00D6000008544E030000000800", "80400000", "0020000208" + PIN.wrong,
        "0020000208" + PIN.user, "002401020E80020008A608" + PIN.wrong, "00E40000021000",
        "0020000108" + PIN.administrator,
        "002C0302", "00DA016204" + "02000000",
    ]

    @Test("What a command changed is in the memory when its answer comes, and survives the loss of power there")
    func writtenBeforeAnswer() throws {
        let memory = FaultyMemory()
        let card = try EmulatedCard.usb(memory)
        for command in Self.commands {
            #expect(["9000", "6300"].contains(status(card.send(command))), "\(command)")
            let stored = try EmulatedCard(.usb, memory: FaultyMemory(memory.states.last))
            for question in ["00CA013204", "00CA017B00", "00CA010226", "00CA018A04", "00200002"] {
                #expect(stored.send(question) == card.send(question), "\(command)")
            }
        }
    }

    @Test("A process killed at any moment leaves a token that works")
    func killedAnywhere() throws {
        let memory = FaultyMemory()
        let card = try EmulatedCard.usb(memory)
        for command in Self.commands { card.send(command) }
        for state in memory.states {
            let card = try EmulatedCard(.usb, memory: FaultyMemory(state))
            #expect(card.loginAdministrator() == "9000")
            #expect(status(card.send("00A40000023F0000")) == "9000")
        }
    }

    @Test("A memory that fails leaves the old state or the new; the card says 6400 and forgets its logins")
    func faults() throws {
        let writes = Self.commands.count + 4
        for kind in [FaultyMemory.Fault.before, .after] {
            for write in 0..<writes {
                let memory = FaultyMemory()
                let card = try EmulatedCard.usb(memory)
                memory.fail(at: write, kind)
                var answers: [String] = []
                for command in Self.commands where !answers.contains("6400") { answers.append(card.send(command)) }
                guard answers.last == "6400" else { continue }
                #expect(card.send("00D6000001 00") != "9000")
                let stored = try EmulatedCard(.usb, memory: FaultyMemory(memory.states.last))
                #expect([card.changes, card.changes + 1].contains(stored.changes))
                #expect(kind == .after || stored.changes == card.changes)
                #expect(card.loginAdministrator() == "9000", "it goes on when the memory does")
            }
        }
    }

    @Test("A state reads back as it was written, whatever it holds", arguments: ChannelProfile.allCases)
    func roundTrip(profile: ChannelProfile) throws {
        var setup = TokenSetup()
        setup.slots[3] = setup.slots[1]
        setup.slots[3]?.isOneTime = true
        let memory = FaultyMemory()
        setup.memory = memory
        let host = try setup.card().connectedHost(profile)
        host.send("0020000208" + PIN.user)
        for command in Self.commands { host.send(command) }
        for state in memory.states {
            let decoded = try CardState(decoding: Secret(copying: state))
            let encoded = decoded.encoded()
            #expect((0..<encoded.count).map { encoded.bytes[$0] } == state)
        }
    }

    @Test("A damaged state is refused, whichever bit is wrong, and left as it is")
    func damaged() throws {
        let memory = FaultyMemory()
        _ = try EmulatedCard.usb(memory)
        let state = try #require(memory.states.last)
        let variants =
            stride(from: 0, to: state.count, by: 7).map { index in
                var changed = state
                changed[index] ^= 0x10
                return changed
            } + [[], Array(state.dropLast()), state + [0], Array(state.prefix(40))]
        for variant in variants {
            let damaged = FaultyMemory(variant)
            #expect(throws: EmulatorError.self) { try EmulatedCard(.usb, memory: damaged) }
            #expect(damaged.states == [variant])
        }
        var newer = state
        newer[5] = 9
        #expect(throws: EmulatorError.stateVersion(9)) { try EmulatedCard(.usb, memory: FaultyMemory(newer)) }
    }

    @Test("A state of version 2 is read, and its identity \"usb\" is usb3")
    func versionTwo() throws {
        let memory = FaultyMemory()
        let card = try EmulatedCard.usb(memory)
        Signing.makeKey(card, "01")
        let state = try #require(memory.states.last)
        let start = try #require((0..<state.count - 4).first { state[$0..<$0 + 4].elementsEqual("usb3".utf8) })
        var old = Array(state[..<start]) + Array("usb".utf8)
        old += state[(start + 4)...].dropLast(32)
        old[start - 1] = 3
        old[5] = 2
        old += Streebog256.hash(old)
        let after = try EmulatedCard(.usb, memory: FaultyMemory(old))
        #expect(after.identity.name == "usb3" && after.serial == card.serial)
        #expect(status(Signing.sign(after, "01", hash: Signing.hash)) == "9000")
    }

    @Test("A state belongs to one identity and one serial number")
    func otherToken() throws {
        let memory = FaultyMemory()
        let card = try EmulatedCard.usb(memory)
        #expect(throws: EmulatorError.stateIdentity("usb3")) { try EmulatedCard(.bt, memory: memory) }
        #expect(throws: EmulatorError.stateSerial) { try EmulatedCard(.usb, memory: memory, serial: [1, 2, 3, 4]) }
        #expect(try EmulatedCard(.usb, memory: memory, serial: card.serial, label: "unused").label == "")
    }

    @Test("In a directory the state survives the process and nothing but it is there")
    func directory() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let directory = try Directory(path: folder.path, create: true)
        let card = try EmulatedCard(.usb, memory: DirectoryMemory(directory), label: "kept")
        card.send("0020000208" + PIN.wrong)
        let again = try EmulatedCard(.usb, memory: DirectoryMemory(directory))
        #expect(again.serial == card.serial && again.label == "kept")
        #expect(again.send("00200002") == "63c9")
        #expect(try directory.names() == ["card"])
        try directory.write("card", [UInt8]("KNLE".utf8).span)
        #expect(throws: EmulatorError.stateCorrupt) { try EmulatedCard(.usb, memory: DirectoryMemory(directory)) }
        #expect(try directory.read("card", limit: 4) == [UInt8]("KNLE".utf8))
    }
}

@Suite("Activation passwords (GSC/1, 5)")
struct ActivationPasswordTests {
    @Test("The memory holds the verifier of the published vector, and the password nowhere")
    func verifier() throws {
        let set = try JSON(vectors: "gsc1.json").sets.A
        let memory = FaultyMemory()
        // The format's nonce, the token's keys, the slot's salt.
        let random = PreparedRandom([UInt8](repeating: 1, count: 80) + set.salt.bytes)
        let card = try EmulatedCard(
            .bt, memory: memory, activationPasswords: ["abcd-1234-efgh-5678"], serial: [0x0E, 0, 0, 2], random: random)
        #expect(card.newActivationPasswords == ["ABCD-1234-EFGH-5678"])
        let state = try #require(memory.states.last)
        #expect(state.hex.contains(set.profiles.classic.pairing.K_F.text ?? "-"))
        #expect(state.hex.contains(set.profiles.modern.pairing.Q_PW.text ?? "-"))
        #expect(!state.hex.contains([UInt8]("1234EFGH".utf8).hex))
        #expect(card.tries(1) == [1, 5, 10, 1000])
        #expect(card.tries(2) == [0, 0, 0, 0])
        let again = try EmulatedCard(.bt, memory: memory, activationPasswords: ["nonsense"])
        #expect(again.newActivationPasswords.isEmpty, "only a new token gets passwords")
    }

    @Test("Without given passwords the factory fills slots 1 and 2 with different ones")
    func generated() throws {
        let card = try EmulatedCard(.bt)
        #expect(card.newActivationPasswords.count == 2)
        for (slot, password) in zip(["1", "2"], card.newActivationPasswords) {
            let pattern = "^\(slot)[A-NP-Z1-9]{3}(-[A-NP-Z1-9]{4}){3}$"
            #expect(try password.contains(Regex(pattern)), "\(password)")
        }
        #expect(card.newActivationPasswords[0].dropFirst() != card.newActivationPasswords[1].dropFirst())
        #expect(card.tries(1)[0] == 1 && card.tries(2)[0] == 1 && card.tries(3)[0] == 0)
        #expect(try EmulatedCard(.usb).newActivationPasswords.isEmpty)
    }

    @Test(
        "Malformed passwords, too short ones and two for one slot are refused",
        arguments: [
            ["1ABCDEFGHIJKLMN"], ["0ABCDEFGHIJKLMNP"], ["GABCDEFGHIJKLMNP"], ["1ABCDEFGHIJKLMNO"], ["1ABCDEFGHIJKLMN0"],
            [String(repeating: "1", count: 33)], ["7234123412341234"], [""],
            ["1234-1234-1234-1234", "A234-1234-1234-1234"],
        ])
    func refused(passwords: [String]) {
        #expect(throws: EmulatorError.invalidActivationPassword) {
            try EmulatedCard(.bt, activationPasswords: passwords)
        }
    }
}
