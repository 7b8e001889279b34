import APDU
import Secrets
import SecureChannel
import Storage
import TestSupport
import Testing

@Suite("Opening a session, classic profile (GSC/1, 10)")
struct OpeningTests {
    let host: Host
    let card = ScriptedCard()

    init() throws { host = try Host() }

    private func open(
        _ record: PairingRecord? = nil, contributions: [[UInt8]]? = nil
    ) throws -> SecureChannel {
        let random = FixedRandom(contributions.map { Array($0.joined()) } ?? host.classic.open.C_H.bytes)
        return try SecureChannel.open(
            over: card, record: record ?? host.record, store: host.store, instance: host.instance, random: random)
    }

    private func expectFailure(_ error: ChannelError, contributions: [[UInt8]]? = nil) throws {
        try host.store.save(host.record)
        #expect(throws: error) { try open(contributions: contributions) }
        #expect(card.isFinished)
        #expect(try host.storedRecord == host.record, "no failure deletes or changes a record")
    }

    /// A contribution that is in no vector.
    private let other = [UInt8](repeating: 0x5A, count: 16)

    /// OPEN-1 with this contribution.
    private func first(_ contribution: [UInt8]) -> String {
        "808603011e7c1c8108\(host.classic.ID_H.bytes.hex)8210\(contribution.hex)00"
    }

    private func response(_ contribution: [UInt8], _ code: [UInt8]) -> String {
        "7c248210\(contribution.hex)8510\(code.hex)9000"
    }

    @Test(
        "OPEN-1 and OPEN-2 are those of the vectors, octet by octet, with one session and with four",
        arguments: ["A", "B"])
    func vectors(_ set: String) throws {
        let line = Line()
        let host = try Host(set: set)
        let channel = try host.open(over: line)
        #expect((line.card as? ScriptedCard)?.isFinished == true)
        #expect(channel.isOpen && channel.isProvisional)
    }

    @Test("N26: 6A88 means not paired, and the record is kept")
    func unknown() throws {
        card.expect(first(host.classic.open.C_H.bytes), reply: "6a88")
        try expectFailure(.unknownRecord)
    }

    @Test("N27: a token that does not know the key is refused after one re-reading of E1; OPEN-2 is not sent")
    func rogue() throws {
        card.expect(first(other), reply: response([UInt8](repeating: 1, count: 16), other))
        card.expect("80ca470000", reply: host.discovery)
        card.expect(first(other.reversed() + []), reply: response([UInt8](repeating: 2, count: 16), other))
        try expectFailure(.authenticationFailed, contributions: [other, other])
    }

    @Test("A changed bit of C_T or MAC_T is refused")
    func changedReply() throws {
        let reply = host.classic.open.open1_response.bytes
        for index in Array(4..<20) + Array(22..<38) {
            let card = ScriptedCard()
            var changed = reply
            changed[index] ^= 0x10
            card.expect(first(host.classic.open.C_H.bytes), reply: changed.hex)
            card.expect("80ca470000", reply: "6d00")
            #expect(throws: ChannelError.authenticationFailed) {
                try SecureChannel.open(
                    over: card, record: host.record, store: host.store, instance: host.instance,
                    random: FixedRandom(host.classic.open.C_H.bytes))
            }
        }
    }

    @Test("N28: a changed E1 is read again, used, and stored once the token has confirmed it")
    func changedCapabilities() throws {
        var stale = host.record
        let older = try Capabilities(
            parsing: [UInt8](hex: host.capabilities.octets.hex.replacing("860110", with: "86010f")))
        stale = PairingRecord(
            profile: .classic, capabilities: older, tokenKey: stale.tokenKey, hostID: stale.hostID, index: 1, created: 7
        )
        try host.store.save(stale)
        card.expect(first(other), reply: "6a80")
        card.expect("80ca470000", reply: host.discovery)
        try host.expectOpening(card)
        let channel = try open(stale, contributions: [other, host.classic.open.C_H.bytes])
        #expect(card.isFinished && channel.isOpen)
        #expect(channel.capabilities == host.capabilities)
        #expect(try host.storedRecord?.capabilities == host.capabilities)
        #expect(try host.storedRecord?.created == 7)
    }

    @Test("N28: an E1 of another token is not used")
    func otherSerial() throws {
        card.expect(first(host.classic.open.C_H.bytes), reply: "6a80")
        card.expect("80ca470000", reply: host.discovery.replacing("0000000030abcdef", with: "0000000030abcdee"))
        try expectFailure(.refused(.incorrectData))
    }

    @Test("N29: C_T = C_H is a reflection")
    func reflection() throws {
        card.expect(first(other), reply: response(other, other))
        try expectFailure(.reflection, contributions: [other])
    }

    @Test("N30: 6300 to OPEN-2 is a failed opening")
    func refusedProof() throws {
        card.expect(first(host.classic.open.C_H.bytes), reply: try host.text(host.classic.open.open1_response))
        card.expect(try host.text(host.classic.open.open2_command), reply: "6300")
        try expectFailure(.refused(.verificationFailed))
    }

    @Test(
        "A reply to OPEN-1 that is not exactly as prescribed is refused",
        arguments: [
            "9000", "7c009000", "7c1282105a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a9000",
            "7c2485105a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a82105a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a9000",
            "7c2482105a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5b85105a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a009000",
        ])
    func malformed(_ reply: String) throws {
        card.expect(first(other), reply: reply)
        try expectFailure(.malformedResponse, contributions: [other])
    }

    @Test(
        "N67: the reply to OPEN-2 has data if and only if N > 1, and its channel is below N",
        arguments: [
            ("A", "7c038801009000"), ("B", "9000"), ("B", "7c038801049000"), ("B", "7c009000"),
            ("B", "7c03880102009000"),
        ])
    func channels(_ set: String, _ reply: String) throws {
        let host = try Host(set: set)
        let open = host.classic.open
        card.expect(try host.text(open.open1_command), reply: try host.text(open.open1_response))
        card.expect(try host.text(open.open2_command), reply: reply)
        #expect(throws: ChannelError.malformedResponse) {
            try SecureChannel.open(
                over: card, record: host.record, store: host.store, instance: host.instance,
                random: FixedRandom(open.C_H.bytes))
        }
    }

    @Test("A reply over T=0 is fetched with a plain GET RESPONSE (11.4)")
    func getResponse() throws {
        let reply = try host.text(host.classic.open.open1_response)
        card.expect(first(host.classic.open.C_H.bytes), reply: "6126")
        card.expect("00c0000026", reply: reply)
        card.expect(try host.text(host.classic.open.open2_command), reply: "9000")
        #expect(try open().isOpen)
        #expect(card.isFinished)
    }

    @Test("Without the host's key, or with another one, host and token are not paired, and nothing is sent")
    func otherKey() throws {
        let directory = try Directory(path: host.path, create: false)
        try directory.write("host.01", host.classic.t.bytes.span)
        #expect(throws: ChannelError.unknownRecord) { try open() }
        try directory.write("host.01", [1, 2, 3].span)
        #expect(throws: ChannelError.unknownRecord) { try open() }
        try directory.remove("host.01")
        #expect(throws: ChannelError.unknownRecord) { try open() }
        #expect(card.received.isEmpty)
    }
}
