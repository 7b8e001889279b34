// SPDX-License-Identifier: Apache-2.0
import APDU
import SecureChannel
import TestSupport
import Testing

@Suite("Discovery (GSC/1, 4)")
struct DiscoveryTests {
    let vectors: JSON

    init() throws { vectors = try JSON(vectors: "gsc1.json") }

    @Test("A well-formed E1 is read")
    func valid() throws {
        #expect(vectors.E1_valid.list.count == 3)
        for vector in vectors.E1_valid.list {
            let capabilities = try Capabilities(parsing: vector.E1.bytes)
            #expect(capabilities.bytes == vector.E1.bytes)
            #expect(capabilities.profiles.reduce(0) { $0 + Int($1.rawValue) } == vector.profiles.number)
            #expect(capabilities.sessions == vector.sessions.number)
            #expect(Int(capabilities.features.rawValue) == vector.features.number)
        }
        let capabilities = try Capabilities(parsing: vectors.E1_valid[1].E1.bytes)
        #expect(capabilities.serial.hex == "0000000030abcdef")
        #expect(capabilities.maxCommand == 238 && capabilities.maxReply == 238)
        #expect(capabilities.policy == .requiredWireless)
        #expect(capabilities.maxRecords == 16 && capabilities.slots == 6)
        #expect(capabilities.features == .batch)
    }

    @Test(
        "N1: an E1 with an unknown tag, a wrong order, a non-minimal length, an byte too many, or N = 0 or 5 is refused"
    )
    func invalid() {
        #expect(vectors.E1_invalid.list.count == 13)
        for vector in vectors.E1_invalid.list {
            #expect(throws: ChannelError.self, "\(vector.reason.text ?? "")") {
                try Capabilities(parsing: vector.E1.bytes)
            }
        }
    }

    @Test("N1: of a malformed E1 only another protocol's name means that there is no GSC")
    func malformed() throws {
        for vector in vectors.E1_invalid.list {
            let card = ScriptedCard(["80ca470000": vector.E1.bytes.hex + "9000"])
            if vector.reason.text == "other protocol" {
                #expect(try Discovery.run(over: card) == .absent)
            } else {
                #expect(throws: ChannelError.malformedCapabilities, "\(vector.reason.text ?? "")") {
                    try Discovery.run(over: card)
                }
            }
        }
    }

    @Test("N2: an E1 of another protocol's version, and nothing but that, means that there is no GSC")
    func otherVersion() throws {
        let host = try Host()
        let other = host.discovery.replacing("4753432f31", with: "4753432f32")
        #expect(try Discovery.run(over: ScriptedCard(["80ca470000": other])) == .absent)
        let longer = "e109800754" + "53432f322e31" + "9000"
        #expect(try Discovery.run(over: ScriptedCard(["80ca470000": longer])) == .absent)
    }

    @Test("N80: discovery is one command, which says whether there is a channel")
    func oneCommand() throws {
        let card = ScriptedCard(["80ca470000": "6d00"])
        #expect(try Discovery.run(over: card) == .absent)
        #expect(card.received == ["80ca470000"])
    }

    @Test(
        "N61: without policy bits or with none of the profiles in common E1 is still there, and is no reason for plain")
    func cleared() throws {
        let host = try Host()
        let text = host.discovery.replacing("850101", with: "850100").replacing("820103", with: "820104")
        guard case .present(let capabilities, _) = try Discovery.run(over: ScriptedCard(["80ca470000": text])) else {
            Issue.record("not found")
            return
        }
        #expect(capabilities.policy.isEmpty && capabilities.bestProfile == nil)
        #expect(throws: ChannelError.profileUnsupported) { try capabilities.profile(minimum: .classic, pinned: nil) }
    }

    @Test("N2, N61: 6D00, 6E00, 6A88, 6A81 mean that there is no GSC", arguments: ["6d00", "6e00", "6a88", "6a81"])
    func absent(_ status: String) throws {
        #expect(try Discovery.run(over: ScriptedCard(["80ca470000": status])) == .absent)
    }

    @Test("Any other status word says nothing about GSC")
    func refused() {
        #expect(throws: ChannelError.refused(StatusWord(0x6982))) {
            try Discovery.run(over: ScriptedCard(["80ca470000": "6982"]))
        }
    }

    @Test("E2 tells the slots and the label before pairing")
    func hints() throws {
        let host = try Host()
        let found = try Discovery.run(over: ScriptedCard(["80ca470000": host.discovery]))
        guard case .present(let capabilities, let hints) = found else {
            Issue.record("not found")
            return
        }
        #expect(capabilities == host.capabilities)
        #expect(hints.now == .protectionRequired)
        #expect(hints.slots == [.ready, .ready, .ready, .ready, .ready, .ready])
        #expect(hints.label == "token")
    }

    @Test(
        "A malformed E2 is refused",
        arguments: [
            "", "e206800100810101", "e20c8001008106010101010101", "e20e80010081060101010101058200",
            "e20e80010081060101010101018200e200", "e20e810601010101010180010082 00",
        ])
    func malformedHints(_ hints: String) throws {
        let host = try Host()
        let card = ScriptedCard(["80ca470000": host.capabilities.bytes.hex + hints + "9000"])
        #expect(throws: ChannelError.malformedCapabilities) { try Discovery.run(over: card) }
    }

    @Test("A link failure is passed on")
    func link() {
        let card = ScriptedCard()
        card.expect("80ca470000", error: .removed(sent: false))
        #expect(throws: ChannelError.link(.removed(sent: false))) { try Discovery.run(over: card) }
    }
}
