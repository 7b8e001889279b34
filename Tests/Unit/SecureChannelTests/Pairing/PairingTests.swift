// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import Locking
import Secrets
import SecureChannel
import Storage
import TestSupport
import Testing

@Suite("Pairing (GSC/1, 8)")
struct PairingTests {
    @Test(
        "Pairing and the first opening are those of the vectors, byte by byte",
        arguments: Profile.allCases, ["A", "B"])
    func vectors(_ profile: Profile, _ set: String) throws {
        let scene = try PairingScene(profile, set: set)
        let host = scene.host
        let pairing = host.vectors.pairing
        try scene.expectPairing()
        try host.expectOpening(scene.card)
        let channel = try scene.activate()
        #expect(scene.card.isFinished)
        #expect(channel.isOpen && channel.isProvisional)
        let record = try #require(try host.storedRecord)
        #expect(record.tokenKey == host.vectors.T_pub.bytes)
        #expect(record.hostID == host.vectors.ID_H.bytes)
        #expect(Int(record.index) == pairing.record_index.number)
        #expect(record.capabilities == host.capabilities)
        #expect(record.profile == profile)
        #expect(record.created > 1_600_000_000)
    }

    @Test(
        "N5: a malformed or too short password is refused without an APDU",
        arguments: ["ABCDO234EFGH5678", "ABCDEFGH1234567"])
    func passwords(_ password: String) throws {
        let scene = try PairingScene(.classic)
        #expect(throws: ChannelError.passwordInvalid) { try scene.activate(password: password) }
        #expect(scene.card.received.isEmpty)
    }

    @Test("N5: 12 symbols are enough in the modern profile, and 15 too few in the classic one")
    func strength() throws {
        let modern = try PairingScene(.modern)
        modern.card.answer("6983")
        #expect(throws: ChannelError.refused(.authenticationBlocked)) { try modern.activate(password: "ABCDEFGH1234") }
        #expect(modern.card.received == ["80ca470100"])
        let classic = try PairingScene(.classic)
        #expect(throws: ChannelError.passwordInvalid) { try classic.activate(password: "ABCDEFGH1234567") }
        #expect(classic.card.received.isEmpty)
    }

    @Test(
        "N6: a password as it is printed and typed gives the verifier of its canonical form",
        arguments: Profile.allCases)
    func printed(_ profile: Profile) throws {
        let scene = try PairingScene(profile)
        try scene.expectPairing()
        try scene.host.expectOpening(scene.card)
        _ = try scene.activate(password: "\u{0430}bcd\u{2011}1234-EFGH ５６７８".replacing("\u{0430}", with: "a"))
        #expect(scene.card.isFinished)
    }

    @Test("N8: 63Cx tells the tries that are left", arguments: Profile.allCases)
    func wrongPassword(_ profile: Profile) throws {
        let scene = try PairingScene(profile)
        try scene.expectPairing(second: "63c4")
        try scene.expectFailure(.passwordRejected(triesLeft: 4))
    }

    @Test(
        "Every status word of PAIR-1 has its meaning (15.1)",
        arguments: Profile.allCases,
        [
            ("6983", ChannelError.slotBlocked), ("6984", .slotUnusable), ("6a81", .profileUnsupported),
            ("6985", .refused(.conditionsNotSatisfied)), ("6a80", .refused(.incorrectData)),
        ])
    func firstStatus(_ profile: Profile, _ answer: (status: String, error: ChannelError)) throws {
        let scene = try PairingScene(profile)
        try scene.expectPairing(first: answer.status)
        try scene.expectFailure(answer.error)
    }

    @Test(
        "Every status word of PAIR-2 has its meaning (15.1)",
        arguments: Profile.allCases,
        [
            ("6984", ChannelError.slotUnusable), ("6a84", .tableFull), ("6a80", .refused(.incorrectData)),
            ("6300", .refused(.verificationFailed)),
        ])
    func secondStatus(_ profile: Profile, _ answer: (status: String, error: ChannelError)) throws {
        let scene = try PairingScene(profile)
        try scene.expectPairing(second: answer.status)
        try scene.expectFailure(answer.error)
    }

    @Test("N18: 6985 to PAIR-2 means that E1 was changed on the way", arguments: Profile.allCases)
    func downgrade(_ profile: Profile) throws {
        let scene = try PairingScene(profile)
        try scene.expectPairing(second: "6985")
        try scene.expectFailure(.downgradeSuspected)
    }

    @Test("N9: after a blocked slot nothing is kept; a slot beyond the token's is not asked for")
    func slots() throws {
        let scene = try PairingScene(.classic)
        let (host, card) = (scene.host, scene.card)
        #expect(throws: ChannelError.slotUnusable) {
            let capabilities = try Capabilities(
                parsing: [UInt8](hex: host.capabilities.bytes.hex.replacing("870106", with: "870101")))
            let text = Array("B7KX3MPQ9WZA2CDE".utf8)
            _ = try SecureChannel.activate(
                with: ActivationPassword(text.span), over: card, capabilities: capabilities, profile: .classic,
                label: "", store: host.store, instance: host.instance, random: SystemRandom())
        }
        #expect(card.received.isEmpty)
    }

    @Test("N12: a lost reply to PAIR-2 leaves nothing on the host", arguments: Profile.allCases)
    func lostReply(_ profile: Profile) throws {
        let scene = try PairingScene(profile)
        let pairing = scene.host.vectors.pairing
        scene.host.expectSlot(scene.card)
        scene.card.expect(
            try scene.host.text(pairing.pair1_command), reply: try scene.host.text(pairing.pair1_response))
        scene.card.expect(try scene.host.text(pairing.pair2_command), error: .removed(sent: true))
        try scene.expectFailure(.link(.removed(sent: true)))
    }

    @Test("The record is stored before the opening, and deleted if that fails", arguments: Profile.allCases)
    func failedOpening(_ profile: Profile) throws {
        let scene = try PairingScene(profile)
        let (host, open) = (scene.host, scene.host.vectors.open)
        try scene.expectPairing()
        scene.card.expect(try host.text(open.open1_command), reply: try host.text(open.open1_response))
        scene.card.expect(try host.text(open.open2_command), error: .removed(sent: true))
        let line = Line()
        line.card = scene.card
        var stored: [Int] = []
        line.before = { header in if header[1] == 0x86 { stored.append(host.tokenFiles.count) } }
        #expect(throws: ChannelError.link(.removed(sent: true))) {
            try host.activate(over: line, random: FixedRandom(host.pairingRandom, host.openingRandom))
        }
        #expect(stored == [0, 0, 1, 1])
        #expect(scene.card.isFinished)
        #expect(host.tokenFiles.isEmpty)
    }

    @Test("N34: a token that was paired modern is never paired or opened classic")
    func pinned() throws {
        let scene = try PairingScene(.classic)
        let (host, card) = (scene.host, scene.card)
        try Directory(path: host.path + "/tokens", create: true).write("0000000030abcdef.02", [1].span)
        #expect(throws: ChannelError.downgradeSuspected) { try scene.activate() }
        #expect(throws: ChannelError.downgradeSuspected) { try host.open(over: Line()) }
        #expect(card.received.isEmpty)
    }

    @Test("A profile that token or slot lacks is not tried", arguments: Profile.allCases)
    func profiles(_ profile: Profile) throws {
        let scene = try PairingScene(profile)
        let host = scene.host
        let other: UInt8 = 3 - profile.rawValue
        let bytes = host.capabilities.bytes.hex.replacing("820103", with: "82010\(other)")
        let capabilities = try Capabilities(parsing: [UInt8](hex: bytes))
        let text = Array((host.set.password.text ?? "").utf8)
        #expect(throws: ChannelError.profileUnsupported) {
            _ = try SecureChannel.activate(
                with: ActivationPassword(text.span), over: scene.card, capabilities: capabilities, profile: profile,
                label: "", store: host.store, instance: host.instance, random: SystemRandom())
        }
        #expect(scene.card.received.isEmpty)
        let slot = host.slotInformation.replacing("820103", with: "82010\(other)")
        scene.card.expect("80ca470100", reply: slot)
        try scene.expectFailure(.profileUnsupported)
    }

    @Test("A long label is cut at a character, to at most 32 bytes")
    func label() throws {
        let scene = try PairingScene(.classic)
        let (host, card) = (scene.host, scene.card)
        let text = Array((host.set.password.text ?? "").utf8)
        host.expectSlot(card)
        card.answer(try host.text(host.vectors.pairing.pair1_response))
        card.answer("6a84")
        #expect(throws: ChannelError.tableFull) {
            _ = try SecureChannel.activate(
                with: ActivationPassword(text.span), over: card, capabilities: host.capabilities, profile: .classic,
                label: String(repeating: "я", count: 15) + "€я", store: host.store, instance: host.instance,
                random: FixedRandom(host.pairingRandom))
        }
        // EA is as long as DATA_A: 112 bytes of other fields and 30 of the label.
        let command = [UInt8](hex: try #require(card.received.last))
        #expect(command[8...10].elementsEqual([0x86, 0x81, 142]))
    }

    @Test("The host's key is made when a store is prepared, and kept; without it nothing is sent")
    func hostKey() throws {
        let host = try Host()
        let store = try PairingStore(directory: Directory(path: host.path + "/other", create: true))
        let text = Array((host.set.password.text ?? "").utf8)
        func activate(_ card: ScriptedCard) throws {
            _ = try SecureChannel.activate(
                with: ActivationPassword(text.span), over: card, capabilities: host.capabilities,
                profile: .classic, label: "", store: store, instance: host.instance, random: SystemRandom())
        }
        #expect(throws: ChannelError.unknownRecord) { try activate(ScriptedCard()) }
        var keys: [[UInt8]?] = []
        for _ in 0..<2 {
            let card = ScriptedCard()
            host.expectSlot(card)
            card.answer("6983")
            try store.prepare(for: .classic, random: SystemRandom())
            #expect(throws: ChannelError.slotBlocked) { try activate(card) }
            keys.append(try Directory(path: host.path + "/other", create: false).read("host.01", limit: 32))
        }
        #expect(keys[0]?.count == 32)
        #expect(keys[0] == keys[1])
    }

    @Test("Without random numbers nothing goes on", arguments: Profile.allCases)
    func noRandom(_ profile: Profile) throws {
        let scene = try PairingScene(profile)
        scene.host.expectSlot(scene.card)
        #expect(throws: ChannelError.randomUnavailable) {
            try scene.host.activate(over: scene.card, random: FixedRandom())
        }
    }
}
