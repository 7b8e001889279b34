// SPDX-License-Identifier: Apache-2.0
import APDU
import ChannelToken
import SecureChannel
import Secrets
import Storage
import TestSupport
import Testing

@Suite("The choice of profile (GSC/1, 4)")
struct ProfileTests {
    /// E1 of set A with these profiles.
    private func capabilities(_ bits: String) throws -> Capabilities {
        let bytes = try Host().capabilities.bytes.hex.replacing("820103", with: "8201" + bits)
        return try Capabilities(parsing: [UInt8](hex: bytes))
    }

    @Test(
        "The highest common profile is chosen", arguments: [("01", Profile.classic), ("02", .modern), ("03", .modern)])
    func highest(_ bits: String, _ profile: Profile) throws {
        #expect(try capabilities(bits).profile(minimum: .classic, pinned: nil) == profile)
        #expect(try capabilities(bits).profile(minimum: .classic, pinned: .classic) == profile)
    }

    @Test("N34: a token that was paired modern and offers classic only is refused")
    func downgrade() throws {
        for minimum in Profile.allCases {
            #expect(throws: ChannelError.downgradeSuspected) {
                try capabilities("01").profile(minimum: minimum, pinned: .modern)
            }
        }
        #expect(try capabilities("03").profile(minimum: .classic, pinned: .modern) == .modern)
    }

    @Test("N81: under minimum_profile = modern a token that has classic only is refused")
    func minimum() throws {
        #expect(throws: ChannelError.profileUnsupported) {
            try capabilities("01").profile(minimum: .modern, pinned: nil)
        }
        #expect(try capabilities("03").profile(minimum: .modern, pinned: nil) == .modern)
    }

    @Test("N81: under minimum_profile = modern a classic pairing is not opened, and nothing is sent")
    func minimumOfOpening() throws {
        let scene = try OpeningTests.Scene(.classic)
        #expect(throws: ChannelError.profileUnsupported) { try scene.open(minimum: .modern) }
        #expect(scene.card.received.isEmpty)
        let modern = try OpeningTests.Scene(.modern)
        try modern.host.expectOpening(modern.card)
        #expect(try modern.open(minimum: .modern).isOpen)
    }

    @Test("Bits of E1.82 that are no profile do not count")
    func unknownBits() throws {
        #expect(try capabilities("fd").profile(minimum: .classic, pinned: nil) == .classic)
        #expect(throws: ChannelError.profileUnsupported) {
            try capabilities("fc").profile(minimum: .classic, pinned: nil)
        }
    }

    @Test("N34: a modern bit that the token confirms drops the classic OPEN; one that it does not changes nothing")
    func raised() throws {
        let host = try Host(profile: .classic)
        let old = try capabilities("01")
        let record = PairingRecord(
            profile: .classic, capabilities: old, tokenKey: host.record.tokenKey, hostID: host.record.hostID, index: 1,
            created: 0)
        try host.store.save(record)
        func open(_ token: TokenSide, discovery: String) throws {
            let line = Line()
            let card = ScriptedCard()
            line.card = token
            line.before = { header in
                line.card = header[1] == 0xCA ? card : token
                if header[1] == 0xCA { card.answer(discovery) }
            }
            _ = try SecureChannel.open(
                over: line, record: record, store: host.store, instance: host.instance, random: SystemRandom())
        }
        let raised = host.token(capabilities: try capabilities("03"))
        #expect(throws: ChannelError.profileRaised) { try open(raised, discovery: host.discovery) }
        #expect(raised.count == 2, "both times OPEN-1, and OPEN-2 never")
        let honest = host.token(capabilities: old)
        let first = try SecureChannel.open(
            over: honest, record: record, store: host.store, instance: host.instance, random: SystemRandom())
        #expect(first.isOpen)
        let liar = host.token(capabilities: try capabilities("07"))
        #expect(throws: ChannelError.authenticationFailed) { try open(liar, discovery: host.discovery) }
        #expect(try host.storedRecord == record)
    }
}
