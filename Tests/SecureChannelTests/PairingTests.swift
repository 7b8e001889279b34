import APDU
import GOST
import Secrets
import SecureChannel
import Storage
import TestSupport
import Testing

@Suite("Pairing, classic profile (GSC/1, 8)")
struct PairingTests {
    let host: Host
    let card = ScriptedCard()
    /// R_H, then C_H.
    let random: FixedRandom

    init() throws {
        host = try Host()
        random = FixedRandom(host.vectors.pairing.R_H.bytes, host.vectors.open.C_H.bytes)
    }

    /// Expects the whole pairing, with another answer to PAIR-1 or PAIR-2 where given.
    private func expectPairing(first: String? = nil, second: String? = nil) throws {
        let pairing = host.vectors.pairing
        host.expectSlot(card)
        card.expect(try host.text(pairing.pair1_command), reply: try first ?? host.text(pairing.pair1_response))
        if first != nil { return }
        card.expect(try host.text(pairing.pair2_command), reply: try second ?? host.text(pairing.pair2_response))
    }

    private func expectFailure(_ error: ChannelError, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(throws: error, sourceLocation: sourceLocation) { try host.activate(over: card, random: random) }
        #expect(card.isFinished, sourceLocation: sourceLocation)
        #expect(host.tokenFiles.isEmpty, "nothing is stored", sourceLocation: sourceLocation)
    }

    @Test("Pairing and the first opening are those of the vectors, octet by octet", arguments: ["A", "B"])
    func vectors(_ set: String) throws {
        let host = try Host(set: set)
        let card = ScriptedCard()
        let pairing = host.vectors.pairing
        host.expectSlot(card)
        card.expect(try host.text(pairing.pair1_command), reply: try host.text(pairing.pair1_response))
        card.expect(try host.text(pairing.pair2_command), reply: try host.text(pairing.pair2_response))
        try host.expectOpening(card)
        let channel = try host.activate(
            over: card, random: FixedRandom(pairing.R_H.bytes, host.vectors.open.C_H.bytes))
        #expect(card.isFinished)
        #expect(channel.isOpen && channel.isProvisional)
        let record = try #require(try host.storedRecord)
        #expect(record.tokenKey == host.vectors.T_pub.bytes)
        #expect(record.hostID == host.vectors.ID_H.bytes)
        #expect(Int(record.index) == pairing.record_index.number)
        #expect(record.capabilities == host.capabilities)
        #expect(record.profile == .classic)
        #expect(record.created > 1_600_000_000)
    }

    @Test(
        "N5: a malformed or too short password is refused without an APDU",
        arguments: ["ABCDO234EFGH5678", "ABCDEFGH1234567"])
    func passwords(_ password: String) {
        #expect(throws: ChannelError.passwordInvalid) {
            try host.activate(over: card, password: password, random: random)
        }
        #expect(card.received.isEmpty)
    }

    @Test("N8: 63Cx tells the tries that are left")
    func wrongPassword() throws {
        try expectPairing(second: "63c4")
        try expectFailure(.passwordRejected(triesLeft: 4))
    }

    @Test(
        "Every status word of PAIR-1 has its meaning (15.1)",
        arguments: [
            ("6983", ChannelError.slotBlocked), ("6984", .slotUnusable), ("6a81", .profileUnsupported),
            ("6985", .refused(.conditionsNotSatisfied)), ("6a80", .refused(.incorrectData)),
        ])
    func firstStatus(_ status: String, _ error: ChannelError) throws {
        try expectPairing(first: status)
        try expectFailure(error)
    }

    @Test(
        "Every status word of PAIR-2 has its meaning (15.1)",
        arguments: [
            ("6984", ChannelError.slotUnusable), ("6a84", .tableFull), ("6a80", .refused(.incorrectData)),
            ("6300", .refused(.verificationFailed)),
        ])
    func secondStatus(_ status: String, _ error: ChannelError) throws {
        try expectPairing(second: status)
        try expectFailure(error)
    }

    @Test("N18: 6985 to PAIR-2 means that E1 was changed on the way")
    func downgrade() throws {
        try expectPairing(second: "6985")
        try expectFailure(.downgradeSuspected)
    }

    @Test("N9: after a blocked slot nothing is kept; a slot beyond the token's is not asked for")
    func slots() throws {
        #expect(throws: ChannelError.slotUnusable) {
            let capabilities = try Capabilities(
                parsing: [UInt8](hex: host.capabilities.octets.hex.replacing("870106", with: "870101")))
            let text = Array("B7KX3MPQ9WZA2CDE".utf8)
            _ = try SecureChannel.activate(
                with: ActivationPassword(text.span), over: card, capabilities: capabilities, profile: .classic,
                label: "", store: host.store, instance: host.instance, random: random)
        }
        #expect(card.received.isEmpty)
    }

    @Test("R_T = R_H is a reflection")
    func reflectedNumber() throws {
        try expectPairing(first: "7c128210\(host.vectors.pairing.R_H.bytes.hex)9000")
        try expectFailure(.reflection)
    }

    @Test("N15: a changed reply to PAIR-2 is refused, whichever bit it is")
    func changedReply() throws {
        let reply = host.vectors.pairing.pair2_response.bytes
        // One bit of every octet of EB and MAC_B; the heads before them are covered by the malformed replies.
        for index in Array(4..<83) + Array(85..<117) where index % 7 == 0 || index > 110 {
            let card = ScriptedCard()
            var changed = reply
            changed[index] ^= 1 << UInt8(index % 8)
            let pairing = host.vectors.pairing
            host.expectSlot(card)
            card.expect(try host.text(pairing.pair1_command), reply: try host.text(pairing.pair1_response))
            card.expect(try host.text(pairing.pair2_command), reply: changed.hex)
            #expect(throws: ChannelError.authenticationFailed) {
                try host.activate(over: card, random: FixedRandom(pairing.R_H.bytes))
            }
        }
        #expect(host.tokenFiles.isEmpty)
    }

    @Test("N23: the host's own EA and MAC_A are no answer")
    func echo() throws {
        let pairing = host.vectors.pairing
        try expectPairing(
            second: ([UInt8].object(0x7C, .object(0x86, pairing.E_A.bytes) + .object(0x85, pairing.MAC_A.bytes)) + [
                0x90, 0x00,
            ]).hex)
        try expectFailure(.authenticationFailed)
    }

    @Test(
        "A DATA_B that is not as section 8 prescribes is refused although its MAC is right",
        arguments: [
            "protocol", "profile", "point", "reflection", "index", "trailing",
        ])
    func malformedData(_ what: String) throws {
        let pairing = host.vectors.pairing
        var data = pairing.DATA_B.bytes
        switch what {
        case "protocol": data[6] = 0x32
        case "profile": data[9] = 0x02
        case "point": data[12] ^= 1
        case "reflection": data.replaceSubrange(12..<76, with: host.vectors.H_pub.bytes)
        case "index": data[78] = 0
        default: data += [0x86, 0x00]
        }
        let zero = [UInt8](repeating: 0, count: 8)
        var cipher = try GOST28147CNT(key: pairing.KeB.bytes.span, iv: zero.span, sBox: .cryptoProA, meshing: false)
        let sealed = cipher.apply(data.span)
        let content = sealed.bytes.indices.map { sealed.bytes[$0] }
        let code = HMAC<GOSTR341194>.authenticate(
            ([2] + pairing.TP.bytes + pairing.E_A.bytes + content).span, key: pairing.KmB.bytes.span)
        let reply: [UInt8] = .object(
            0x7C, .object(0x86, content) + .object(0x85, code.bytes.indices.map { code.bytes[$0] }))
        try expectPairing(second: reply.hex + "9000")
        try expectFailure(what == "reflection" ? .reflection : .malformedResponse)
    }

    @Test(
        "A reply that is not exactly as prescribed is refused (3)",
        arguments: [
            "9000", "7c009000", "7c128210000102030405060708090a0b0c0d0e0f009000",
            "7c118211000102030405060708090a0b0c0d0e0f9000",
            "7c24821000000000000000000000000000000000821000000000000000000000000000000000 9000",
        ])
    func malformedReply(_ reply: String) throws {
        try expectPairing(first: reply)
        try expectFailure(.malformedResponse)
    }

    @Test("The record is stored before the opening, and deleted if that fails")
    func failedOpening() throws {
        try expectPairing()
        card.expect(
            try host.text(host.vectors.open.open1_command), reply: try host.text(host.vectors.open.open1_response))
        card.expect(try host.text(host.vectors.open.open2_command), error: .removed(sent: true))
        #expect(throws: ChannelError.link(.removed(sent: true))) { try host.activate(over: card, random: random) }
        #expect(card.isFinished)
        #expect(host.tokenFiles.isEmpty)
    }

    @Test("N34: a token that was paired modern is never paired classic")
    func pinned() throws {
        try Directory(path: host.path + "/tokens", create: false).write("0000000030abcdef.02", [1].span)
        #expect(throws: ChannelError.downgradeSuspected) { try host.activate(over: card, random: random) }
        #expect(throws: ChannelError.downgradeSuspected) { try host.open(over: Line()) }
        #expect(card.received.isEmpty)
    }

    @Test("A profile that host, token or slot lacks is not tried")
    func profiles() throws {
        let text = Array((host.set.password.text ?? "").utf8)
        #expect(throws: ChannelError.profileUnsupported) {
            _ = try SecureChannel.activate(
                with: ActivationPassword(text.span), over: card, capabilities: host.capabilities, profile: .modern,
                label: "", store: host.store, instance: host.instance, random: random)
        }
        card.expect("80ca470100", reply: host.slotInformation.replacing("820103", with: "820102"))
        try expectFailure(.profileUnsupported)
        #expect(host.capabilities.bestProfile == .classic)
    }

    @Test("A long label is cut at a character, to at most 32 octets")
    func label() throws {
        let text = Array((host.set.password.text ?? "").utf8)
        host.expectSlot(card)
        card.answer(try host.text(host.vectors.pairing.pair1_response))
        card.answer("6a84")
        #expect(throws: ChannelError.tableFull) {
            _ = try SecureChannel.activate(
                with: ActivationPassword(text.span), over: card, capabilities: host.capabilities, profile: .classic,
                label: String(repeating: "я", count: 15) + "€я", store: host.store, instance: host.instance,
                random: random)
        }
        // EA is as long as DATA_A: 112 octets of other fields and 30 of the label.
        let command = [UInt8](hex: try #require(card.received.last))
        #expect(command[8...10].elementsEqual([0x86, 0x81, 142]))
    }

    @Test("The host's key is made at the first need and kept")
    func hostKey() throws {
        let store = try PairingStore(directory: Directory(path: host.path + "/other", create: true))
        let text = Array((host.set.password.text ?? "").utf8)
        var keys: [[UInt8]?] = []
        for _ in 0..<2 {
            let card = ScriptedCard()
            host.expectSlot(card)
            card.answer("6983")
            #expect(throws: ChannelError.slotBlocked) {
                _ = try SecureChannel.activate(
                    with: ActivationPassword(text.span), over: card, capabilities: host.capabilities,
                    profile: .classic, label: "", store: store, instance: host.instance, random: SystemRandom())
            }
            keys.append(try Directory(path: host.path + "/other", create: false).read("host.01", limit: 32))
        }
        #expect(keys[0]?.count == 32)
        #expect(keys[0] == keys[1])
    }

    @Test("Without random numbers nothing goes on")
    func noRandom() throws {
        host.expectSlot(card)
        #expect(throws: ChannelError.randomUnavailable) { try host.activate(over: card, random: FixedRandom()) }
    }
}
