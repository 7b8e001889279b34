// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets
import SecureChannel
import Storage
import TestSupport
import Testing

@Suite("Opening a session (GSC/1, 10)")
struct OpeningTests {
    /// A host that is paired, and the card that it opens a session with.
    struct Scene {
        let host: Host
        let card = ScriptedCard()

        init(_ profile: Profile, set: String = "A") throws {
            host = try Host(set: set, profile: profile)
            try host.store.save(host.record)
        }

        func open(
            _ record: PairingRecord? = nil, drawing: [UInt8]..., minimum: Profile = .classic
        ) throws -> SecureChannel {
            let random = FixedRandom(drawing.isEmpty ? host.openingRandom : Array(drawing.joined()))
            return try SecureChannel.open(
                over: card, record: record ?? host.record, store: host.store, instance: host.instance, minimum: minimum,
                random: random)
        }

        /// Expects that opening fails and leaves the record as it was.
        func expectFailure(
            _ error: ChannelError, drawing: [UInt8]..., sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let drawn = drawing.isEmpty ? host.openingRandom : Array(drawing.joined())
            #expect(throws: error, sourceLocation: sourceLocation) { try open(drawing: drawn) }
            #expect(card.isFinished, sourceLocation: sourceLocation)
            #expect(try host.storedRecord == host.record, "no failure deletes or changes a record")
        }

        /// OPEN-1 with the host's random numbers.
        func first(_ drawn: [UInt8]) throws -> String {
            let content: [UInt8] = try .object(0x81, host.vectors.ID_H.bytes) + .object(0x82, host.contribution(drawn))
            let data: [UInt8] = .object(0x7C, content)
            return ([0x80, 0x86, 0x03, host.profile.rawValue, UInt8(data.count)] + data + [0x00]).hex
        }

        /// The answer to OPEN-1 of a token that drew this.
        func response(_ drawn: [UInt8], _ code: [UInt8]) throws -> String {
            let content: [UInt8] = try .object(0x82, host.contribution(drawn)) + .object(0x85, code)
            return [UInt8].object(0x7C, content).hex + "9000"
        }

        /// The vectors' OPEN-1, and their answer to it.
        func expectFirst() throws {
            let open = host.vectors.open
            card.expect(try host.text(open.open1_command), reply: try host.text(open.open1_response))
        }
    }

    /// Random numbers that are not in the vectors.
    private let other = [UInt8](repeating: 0x5A, count: 32)
    private let third = [UInt8](repeating: 0x3C, count: 32)
    private let code = [UInt8](repeating: 0x77, count: 16)

    private func drawn(_ bytes: [UInt8], _ profile: Profile) -> [UInt8] {
        Array(bytes.prefix(profile == .classic ? 16 : 32))
    }

    @Test(
        "OPEN-1 and OPEN-2 are those of the vectors, byte by byte, with one session and with four",
        arguments: Profile.allCases, ["A", "B"])
    func vectors(_ profile: Profile, _ set: String) throws {
        let line = Line()
        let host = try Host(set: set, profile: profile)
        let channel = try host.open(over: line)
        let card = try #require(line.card as? ScriptedCard)
        #expect(card.isFinished && card.received.count == 2, "two round trips")
        #expect(channel.isOpen && channel.isProvisional)
    }

    @Test("N26: 6A88 means not paired, and the record is kept", arguments: Profile.allCases)
    func unknown(_ profile: Profile) throws {
        let scene = try Scene(profile)
        scene.card.expect(try scene.host.text(scene.host.vectors.open.open1_command), reply: "6a88")
        try scene.expectFailure(.unknownRecord)
    }

    @Test(
        "N27: a token that does not know the key is refused after one re-reading of E1; OPEN-2 is not sent",
        arguments: Profile.allCases)
    func rogue(_ profile: Profile) throws {
        let scene = try Scene(profile)
        let (first, second) = (drawn(other, profile), drawn(third, profile))
        scene.card.expect(try scene.first(first), reply: try scene.response(drawn(code + code, profile), code))
        scene.card.expect("80ca470000", reply: scene.host.discovery)
        scene.card.expect(try scene.first(second), reply: try scene.response(drawn(code + code, profile), code))
        try scene.expectFailure(.authenticationFailed, drawing: first, second)
    }

    @Test("N27: a changed bit of C_T or MAC_T is refused", arguments: Profile.allCases)
    func changedReply(_ profile: Profile) throws {
        let reply = try Host(profile: profile).vectors.open.open1_response.bytes
        let contribution = profile == .classic ? 16 : 64
        for index in Array(4..<4 + contribution) + Array(6 + contribution..<22 + contribution) where index % 3 == 0 {
            let scene = try Scene(profile)
            var changed = reply
            changed[index] ^= 0x10
            scene.card.expect(try scene.host.text(scene.host.vectors.open.open1_command), reply: changed.hex)
            if profile == .classic || index >= 4 + contribution { scene.card.expect("80ca470000", reply: "6d00") }
            let isPoint = profile == .modern && index < 4 + contribution
            try scene.expectFailure(isPoint ? .malformedResponse : .authenticationFailed)
        }
    }

    @Test(
        "N28: a changed E1 is read again, used, and stored once the token has confirmed it", arguments: Profile.allCases
    )
    func changedCapabilities(_ profile: Profile) throws {
        let scene = try Scene(profile)
        let host = scene.host
        let older = try Capabilities(
            parsing: [UInt8](hex: host.capabilities.bytes.hex.replacing("860110", with: "86010f")))
        let stale = PairingRecord(
            profile: profile, capabilities: older, tokenKey: host.record.tokenKey, hostID: host.record.hostID, index: 1,
            created: 7)
        try host.store.save(stale)
        scene.card.expect(try scene.first(drawn(other, profile)), reply: "6a80")
        scene.card.expect("80ca470000", reply: host.discovery)
        try host.expectOpening(scene.card)
        let channel = try scene.open(stale, drawing: drawn(other, profile), host.openingRandom)
        #expect(scene.card.isFinished && channel.isOpen)
        #expect(channel.capabilities == host.capabilities)
        #expect(try host.storedRecord?.capabilities == host.capabilities)
        #expect(try host.storedRecord?.created == 7)
    }

    @Test("N28: an E1 changed on the way is read once more, and then opening fails", arguments: Profile.allCases)
    func foreignCapabilities(_ profile: Profile) throws {
        let scene = try Scene(profile)
        let (first, second) = (drawn(other, profile), drawn(third, profile))
        scene.card.expect(try scene.first(first), reply: "6a80")
        scene.card.expect("80ca470000", reply: scene.host.discovery.replacing("860110", with: "86010f"))
        scene.card.expect(try scene.first(second), reply: try scene.response(drawn(code + code, profile), code))
        try scene.expectFailure(.authenticationFailed, drawing: first, second)
    }

    @Test("N28: an E1 of another token is not used", arguments: Profile.allCases)
    func otherSerial(_ profile: Profile) throws {
        let scene = try Scene(profile)
        scene.card.expect(try scene.first(scene.host.openingRandom), reply: "6a80")
        scene.card.expect(
            "80ca470000", reply: scene.host.discovery.replacing("0000000030abcdef", with: "0000000030abcdee"))
        try scene.expectFailure(.refused(.incorrectData))
    }

    @Test("N29: C_T = C_H is a reflection", arguments: Profile.allCases)
    func reflection(_ profile: Profile) throws {
        let scene = try Scene(profile)
        let own = drawn(other, profile)
        scene.card.expect(try scene.first(own), reply: try scene.response(own, code))
        try scene.expectFailure(.reflection, drawing: own)
    }

    @Test(
        "N29: a C_T that is not a point of the curve, or not reduced, aborts the opening",
        arguments: [
            [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64), [UInt8](repeating: 0x5A, count: 64),
        ])
    func noPoint(_ contribution: [UInt8]) throws {
        let scene = try Scene(.modern)
        let reply: [UInt8] = .object(0x7C, .object(0x82, contribution) + .object(0x85, code))
        scene.card.expect(try scene.first(scene.host.openingRandom), reply: reply.hex + "9000")
        try scene.expectFailure(.malformedResponse)
    }

    @Test("N30: 6300 to OPEN-2 is a failed opening", arguments: Profile.allCases)
    func refusedProof(_ profile: Profile) throws {
        let scene = try Scene(profile)
        try scene.expectFirst()
        scene.card.expect(try scene.host.text(scene.host.vectors.open.open2_command), reply: "6300")
        try scene.expectFailure(.refused(.verificationFailed))
    }

    @Test(
        "A reply to OPEN-1 that is not exactly as prescribed is refused",
        arguments: Profile.allCases, ["", "empty", "short", "swapped", "long code", "trailing", "outer"])
    func malformed(_ profile: Profile, _ what: String) throws {
        let scene = try Scene(profile)
        let contribution: [UInt8] = .object(0x82, try scene.host.contribution(drawn(other, profile)))
        let proof: [UInt8] = .object(0x85, code)
        let content: [UInt8] =
            switch what {
            case "short": contribution
            case "swapped": proof + contribution
            case "long code": contribution + .object(0x85, code + [0])
            case "trailing": contribution + proof + [0x86, 0x00]
            case "outer": contribution + proof
            default: []
            }
        let body: [UInt8] = what.isEmpty ? [] : .object(0x7C, content) + (what == "outer" ? [0x00] : [])
        scene.card.expect(try scene.first(scene.host.openingRandom), reply: body.hex + "9000")
        try scene.expectFailure(.malformedResponse)
    }

    @Test(
        "N67: the reply to OPEN-2 has data if and only if N > 1, and its channel is below N",
        arguments: Profile.allCases,
        [
            ("A", "7c038801009000"), ("B", "9000"), ("B", "7c038801049000"), ("B", "7c009000"),
            ("B", "7c03880102009000"),
        ])
    func channels(_ profile: Profile, _ reply: (set: String, text: String)) throws {
        let scene = try Scene(profile, set: reply.set)
        try scene.expectFirst()
        scene.card.expect(try scene.host.text(scene.host.vectors.open.open2_command), reply: reply.text)
        try scene.expectFailure(.malformedResponse)
    }

    @Test("A reply over T=0 is fetched with a plain GET RESPONSE (11.4)")
    func getResponse() throws {
        let scene = try Scene(.classic)
        let reply = try scene.host.text(scene.host.vectors.open.open1_response)
        scene.card.expect(try scene.first(scene.host.openingRandom), reply: "6126")
        scene.card.expect("00c0000026", reply: reply)
        scene.card.expect(try scene.host.text(scene.host.vectors.open.open2_command), reply: "9000")
        #expect(try scene.open().isOpen)
        #expect(scene.card.isFinished)
    }

    @Test(
        "Without the host's key, or with another one, host and token are not paired, and nothing is sent",
        arguments: Profile.allCases)
    func otherKey(_ profile: Profile) throws {
        let scene = try Scene(profile)
        let directory = try Directory(path: scene.host.path, create: false)
        let file = "host.0\(profile.rawValue)"
        try directory.write(file, scene.host.vectors.t.bytes.span)
        #expect(throws: ChannelError.unknownRecord) { try scene.open() }
        try directory.write(file, [1, 2, 3].span)
        #expect(throws: ChannelError.unknownRecord) { try scene.open() }
        try directory.remove(file)
        #expect(throws: ChannelError.unknownRecord) { try scene.open() }
        #expect(scene.card.received.isEmpty)
    }
}
