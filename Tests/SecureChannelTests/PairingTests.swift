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
    /// A host that is not paired, and the card that it pairs with.
    final class Scene {
        let host: Host
        let card = ScriptedCard()

        init(_ profile: Profile, set: String = "A") throws { host = try Host(set: set, profile: profile) }

        /// Expects the whole pairing, with another answer to PAIR-1 or PAIR-2 where given.
        func expectPairing(first: String? = nil, second: String? = nil) throws {
            let pairing = host.vectors.pairing
            host.expectSlot(card)
            card.expect(try host.text(pairing.pair1_command), reply: try first ?? host.text(pairing.pair1_response))
            if first != nil { return }
            card.expect(try host.text(pairing.pair2_command), reply: try second ?? host.text(pairing.pair2_response))
        }

        func activate(password: String? = nil) throws -> SecureChannel {
            try host.activate(
                over: card, password: password, random: FixedRandom(host.pairingRandom, host.openingRandom))
        }

        func expectFailure(_ error: ChannelError, sourceLocation: SourceLocation = #_sourceLocation) throws {
            #expect(throws: error, sourceLocation: sourceLocation) { try activate() }
            #expect(card.isFinished, sourceLocation: sourceLocation)
            #expect(host.tokenFiles.isEmpty, "nothing is stored", sourceLocation: sourceLocation)
        }
    }

    @Test(
        "Pairing and the first opening are those of the vectors, octet by octet",
        arguments: Profile.allCases, ["A", "B"])
    func vectors(_ profile: Profile, _ set: String) throws {
        let scene = try Scene(profile, set: set)
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
        let scene = try Scene(.classic)
        #expect(throws: ChannelError.passwordInvalid) { try scene.activate(password: password) }
        #expect(scene.card.received.isEmpty)
    }

    @Test("N5: 12 symbols are enough in the modern profile, and 15 too few in the classic one")
    func strength() throws {
        let modern = try Scene(.modern)
        modern.card.answer("6983")
        #expect(throws: ChannelError.refused(.authenticationBlocked)) { try modern.activate(password: "ABCDEFGH1234") }
        #expect(modern.card.received == ["80ca470100"])
        let classic = try Scene(.classic)
        #expect(throws: ChannelError.passwordInvalid) { try classic.activate(password: "ABCDEFGH1234567") }
        #expect(classic.card.received.isEmpty)
    }

    @Test(
        "N6: a password as it is printed and typed gives the verifier of its canonical form",
        arguments: Profile.allCases)
    func printed(_ profile: Profile) throws {
        let scene = try Scene(profile)
        try scene.expectPairing()
        try scene.host.expectOpening(scene.card)
        _ = try scene.activate(password: "\u{0430}bcd\u{2011}1234-EFGH ５６７８".replacing("\u{0430}", with: "a"))
        #expect(scene.card.isFinished)
    }

    @Test("N8: 63Cx tells the tries that are left", arguments: Profile.allCases)
    func wrongPassword(_ profile: Profile) throws {
        let scene = try Scene(profile)
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
        let scene = try Scene(profile)
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
        let scene = try Scene(profile)
        try scene.expectPairing(second: answer.status)
        try scene.expectFailure(answer.error)
    }

    @Test("N18: 6985 to PAIR-2 means that E1 was changed on the way", arguments: Profile.allCases)
    func downgrade(_ profile: Profile) throws {
        let scene = try Scene(profile)
        try scene.expectPairing(second: "6985")
        try scene.expectFailure(.downgradeSuspected)
    }

    @Test("N9: after a blocked slot nothing is kept; a slot beyond the token's is not asked for")
    func slots() throws {
        let scene = try Scene(.classic)
        let (host, card) = (scene.host, scene.card)
        #expect(throws: ChannelError.slotUnusable) {
            let capabilities = try Capabilities(
                parsing: [UInt8](hex: host.capabilities.octets.hex.replacing("870106", with: "870101")))
            let text = Array("B7KX3MPQ9WZA2CDE".utf8)
            _ = try SecureChannel.activate(
                with: ActivationPassword(text.span), over: card, capabilities: capabilities, profile: .classic,
                label: "", store: host.store, instance: host.instance, random: SystemRandom())
        }
        #expect(card.received.isEmpty)
    }

    @Test("N12: a lost reply to PAIR-2 leaves nothing on the host", arguments: Profile.allCases)
    func lostReply(_ profile: Profile) throws {
        let scene = try Scene(profile)
        let pairing = scene.host.vectors.pairing
        scene.host.expectSlot(scene.card)
        scene.card.expect(
            try scene.host.text(pairing.pair1_command), reply: try scene.host.text(pairing.pair1_response))
        scene.card.expect(try scene.host.text(pairing.pair2_command), error: .removed(sent: true))
        try scene.expectFailure(.link(.removed(sent: true)))
    }

    @Test(
        "A malformed E3 ends the pairing before PAIR-1",
        arguments: [
            ("800101", "800102"), ("810101", "810105"), ("840101", "840102"), ("850105", ""), ("870203e8", "870103"),
            ("83105", "83115"), ("e3", "e2"),
        ])
    func malformedSlot(_ octets: String, _ others: String) throws {
        let scene = try Scene(.modern)
        let reply = scene.host.slotInformation
        try #require(reply.contains(octets))
        scene.card.expect("80ca470100", reply: reply.replacing(octets, with: others))
        try scene.expectFailure(.malformedResponse)
    }

    @Test("R_T = R_H, or u2 = u1, is a reflection", arguments: Profile.allCases)
    func reflectedValue(_ profile: Profile) throws {
        let scene = try Scene(profile)
        let pairing = scene.host.vectors.pairing
        let own = profile == .classic ? pairing.R_H.bytes : pairing.u1.bytes
        try scene.expectPairing(first: [UInt8].object(0x7C, .object(0x82, own)).hex + "9000")
        try scene.expectFailure(.reflection)
    }

    @Test("N15: a changed reply to PAIR-2 is refused, whichever bit it is", arguments: Profile.allCases)
    func changedReply(_ profile: Profile) throws {
        let scene = try Scene(profile)
        let reply = scene.host.vectors.pairing.pair2_response.bytes
        // One bit of some octets of the data and all of MAC_B; the heads are covered by the malformed replies.
        for index in Array(4..<83) + Array(85..<117) where index % 16 == 0 || index > 110 {
            var changed = reply
            changed[index] ^= 1 << UInt8(index % 8)
            try scene.expectPairing(second: changed.hex)
            try scene.expectFailure(.authenticationFailed)
        }
    }

    @Test(
        "N15: a u2 that is no point of the curve, or not reduced, ends the pairing before PAIR-2",
        arguments: [
            [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64), [UInt8](repeating: 0x5A, count: 64),
        ])
    func noPoint(_ point: [UInt8]) throws {
        let scene = try Scene(.modern)
        try scene.expectPairing(first: [UInt8].object(0x7C, .object(0x82, point)).hex + "9000")
        try scene.expectFailure(.malformedResponse)
    }

    @Test("N15: a changed but valid u2 makes MAC_B wrong")
    func otherPoint() throws {
        let scene = try Scene(.modern)
        let host = scene.host
        host.expectSlot(scene.card)
        scene.card.expect(
            try host.text(host.vectors.pairing.pair1_command),
            reply: [UInt8].object(0x7C, .object(0x82, host.vectors.T_pub.bytes)).hex + "9000")
        scene.card.answer(try host.text(host.vectors.pairing.pair2_response))
        try scene.expectFailure(.authenticationFailed)
    }

    @Test("N14: with u2 = Q_PW (Q_A = O, z_A = 1) the host refuses even the right MAC_B (RFC 8133, step 29)")
    func infinity() throws {
        let scene = try Scene(.modern)
        let host = scene.host
        let pairing = host.vectors.pairing
        let alpha = try PrivateKey(curve: .tc26256B, scalar: Secret(copying: pairing.alpha.bytes))
        // K_A = H(α·(αP)).
        let key = try alpha.vko2012256(with: alpha.publicKey(), ukm: [1].span)
        let (salt, oid) = (host.set.salt.bytes, Curve.tc26256B.oid)
        let transcript: [UInt8] = [1] + salt + pairing.u1.bytes + pairing.Q_PW.bytes + oid + pairing.DATA_A.bytes
        let own = HMAC<Streebog256>.authenticate(([1] + host.vectors.ID_H.bytes + transcript).span, key: key.bytes)
        let message: [UInt8] = [2] + host.capabilities.serial + transcript + pairing.DATA_B.bytes
        let code = HMAC<Streebog256>.authenticate(message.span, key: key.bytes)
        let content: [UInt8] =
            .object(0x84, pairing.DATA_B.bytes) + .object(0x85, code.bytes.indices.map { code.bytes[$0] })

        host.expectSlot(scene.card)
        scene.card.expect(
            try host.text(pairing.pair1_command),
            reply: [UInt8].object(0x7C, .object(0x82, pairing.Q_PW.bytes)).hex + "9000")
        scene.card.answer([UInt8].object(0x7C, content).hex + "9000")
        try scene.expectFailure(.authenticationFailed)
        let sent = try #require(scene.card.received.last)
        #expect(sent.hasSuffix(own.bytes.indices.map { own.bytes[$0] }.hex + "00"), "the key is that of step 19")
    }

    @Test("N23: the host's own data and MAC_A are no answer", arguments: Profile.allCases)
    func echo(_ profile: Profile) throws {
        let scene = try Scene(profile)
        let pairing = scene.host.vectors.pairing
        let data: [UInt8] =
            profile == .classic ? .object(0x86, pairing.E_A.bytes) : .object(0x84, pairing.DATA_A.bytes)
        try scene.expectPairing(second: [UInt8].object(0x7C, data + .object(0x85, pairing.MAC_A.bytes)).hex + "9000")
        try scene.expectFailure(.authenticationFailed)
    }

    @Test("An answer to PAIR-2 after more than 10 s is not read, and nothing is stored (15.2 e)", arguments: [10, 11])
    func timeout(_ seconds: Int) throws {
        let scene = try Scene(.modern)
        try scene.expectPairing()
        try scene.host.expectOpening(scene.card)
        let (clock, line) = (Lock(0), Line())
        line.card = scene.card
        line.before = { header in if header == [0x80, 0x86, 0x02, 0x02] { clock.withLock { $0 += seconds } } }
        let uptime = Uptime { .seconds(clock.withLock { $0 }) }
        let random = FixedRandom(scene.host.pairingRandom, scene.host.openingRandom)
        if seconds == 10 {
            #expect(try scene.host.activate(over: line, random: random, uptime: uptime).isOpen)
        } else {
            #expect(throws: ChannelError.timedOut) {
                try scene.host.activate(over: line, random: random, uptime: uptime)
            }
            #expect(scene.host.tokenFiles.isEmpty)
        }
    }

    @Test(
        "A DATA_B that is not as section 8 prescribes is refused although its MAC is right",
        arguments: Profile.allCases, ["protocol", "profile", "point", "reflection", "index", "trailing"])
    func malformedData(_ profile: Profile, _ what: String) throws {
        let scene = try Scene(profile)
        let (host, pairing) = (scene.host, scene.host.vectors.pairing)
        var data = pairing.DATA_B.bytes
        switch what {
        case "protocol": data[6] = 0x32
        case "profile": data[9] ^= 0x03
        case "point": data[12] ^= 1
        case "reflection": data.replaceSubrange(12..<76, with: host.vectors.H_pub.bytes)
        case "index": data[78] = 0
        default: data += [0x86, 0x00]
        }
        let content = profile == .classic ? try classicReply(data, host) : modernReply(data, host)
        try scene.expectPairing(second: [UInt8].object(0x7C, content).hex + "9000")
        try scene.expectFailure(what == "reflection" ? .reflection : .malformedResponse)
    }

    /// These data, enciphered and under a right MAC_B.
    private func classicReply(_ data: [UInt8], _ host: Host) throws -> [UInt8] {
        let pairing = host.vectors.pairing
        let (zero, key) = ([UInt8](repeating: 0, count: 8), pairing.KeB.bytes)
        var cipher = try GOST28147CNT(key: key.span, iv: zero.span, sBox: .cryptoProA, meshing: false)
        let sealed = cipher.apply(data.span)
        let content = sealed.bytes.indices.map { sealed.bytes[$0] }
        let message: [UInt8] = [2] + pairing.TP.bytes + pairing.E_A.bytes + content
        let code = HMAC<GOSTR341194>.authenticate(message.span, key: pairing.KmB.bytes.span)
        return .object(0x86, content) + .object(0x85, code.bytes.indices.map { code.bytes[$0] })
    }

    /// These data under a right MAC_B.
    private func modernReply(_ data: [UInt8], _ host: Host) -> [UInt8] {
        let pairing = host.vectors.pairing
        let values: [UInt8] = [1] + host.set.salt.bytes + pairing.u1.bytes + pairing.u2.bytes + Curve.tc26256B.oid
        let message: [UInt8] = [2] + host.capabilities.serial + values + pairing.DATA_A.bytes + data
        let code = HMAC<Streebog256>.authenticate(message.span, key: pairing.K.bytes.span)
        return .object(0x84, data) + .object(0x85, code.bytes.indices.map { code.bytes[$0] })
    }

    @Test(
        "A reply that is not exactly as prescribed is refused (3)",
        arguments: [
            "9000", "7c009000", "7c128210000102030405060708090a0b0c0d0e0f009000",
            "7c118211000102030405060708090a0b0c0d0e0f9000",
            "7c24821000000000000000000000000000000000821000000000000000000000000000000000 9000",
        ])
    func malformedReply(_ reply: String) throws {
        let scene = try Scene(.classic)
        try scene.expectPairing(first: reply)
        try scene.expectFailure(.malformedResponse)
    }

    @Test("The record is stored before the opening, and deleted if that fails", arguments: Profile.allCases)
    func failedOpening(_ profile: Profile) throws {
        let scene = try Scene(profile)
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
        let scene = try Scene(.classic)
        let (host, card) = (scene.host, scene.card)
        try Directory(path: host.path + "/tokens", create: false).write("0000000030abcdef.02", [1].span)
        #expect(throws: ChannelError.downgradeSuspected) { try scene.activate() }
        #expect(throws: ChannelError.downgradeSuspected) { try host.open(over: Line()) }
        #expect(card.received.isEmpty)
    }

    @Test("A profile that token or slot lacks is not tried", arguments: Profile.allCases)
    func profiles(_ profile: Profile) throws {
        let scene = try Scene(profile)
        let host = scene.host
        let other: UInt8 = 3 - profile.rawValue
        let octets = host.capabilities.octets.hex.replacing("820103", with: "82010\(other)")
        let capabilities = try Capabilities(parsing: [UInt8](hex: octets))
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

    @Test("A long label is cut at a character, to at most 32 octets")
    func label() throws {
        let scene = try Scene(.classic)
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
        // EA is as long as DATA_A: 112 octets of other fields and 30 of the label.
        let command = [UInt8](hex: try #require(card.received.last))
        #expect(command[8...10].elementsEqual([0x86, 0x81, 142]))
    }

    @Test("The host's key is made at the first need and kept")
    func hostKey() throws {
        let host = try Host()
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

    @Test("Without random numbers nothing goes on", arguments: Profile.allCases)
    func noRandom(_ profile: Profile) throws {
        let scene = try Scene(profile)
        scene.host.expectSlot(scene.card)
        #expect(throws: ChannelError.randomUnavailable) {
            try scene.host.activate(over: scene.card, random: FixedRandom())
        }
    }
}
