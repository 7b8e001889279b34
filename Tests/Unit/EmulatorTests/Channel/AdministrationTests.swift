// SPDX-License-Identifier: Apache-2.0
import Emulator
import TestSupport
import Testing

@Suite("What the administrator does with the channel (GSC/1, 5 to 7 and 19)")
struct AdministrationTests {
    private static func administrator(_ card: EmulatedCard, _ profile: ChannelProfile = .modern) throws -> ChannelHost {
        let host = try card.connectedHost(profile)
        #expect(host.send("0020000108" + PIN.administrator) == "9000")
        return host
    }

    /// The symbols of `87 L PW`.
    private static func password(_ answer: String) -> String {
        #expect(answer.hasPrefix("8710") && status(answer) == "9000")
        return String(decoding: [UInt8](hex: data(answer)).dropFirst(2), as: UTF8.self)
    }

    @Test(
        "80 86 11 fills the next empty slot, tells the password padded, and it pairs",
        arguments: ChannelProfile.allCases)
    func newPassword(profile: ChannelProfile) throws {
        let card = try TokenSetup(sessions: 4).card()
        let host = try Self.administrator(card)
        let reply = card.process(host.protect("8086110003800100" + "00"))
        #expect(reply.starts(with: [0x87, 33, 0x01]), "PI = 01 and 32 bytes")
        let password = Self.password(try #require(host.open(reply)))
        #expect(try password.contains(Regex("^3[A-NP-Z1-9]{15}$")))
        #expect(card.tries(3) == [1, 5, 10, 1000])
        let salt = Array([UInt8](hex: data(card.send("80CA470300")))[13..<29])
        let newcomer = try ChannelHost(card, profile, verifier: profile.verifier(password, salt))
        newcomer.slot = 3
        #expect(try newcomer.pair() == "9000")
        #expect(try newcomer.open() == "9000")
    }

    @Test("80 86 11 replaces a slot's password; charset 1 has letters only; flag b0 makes the slot good for one host")
    func replacedPassword() throws {
        var setup = TokenSetup(sessions: 4)
        setup.slots[2]?.triesInARow = 0
        setup.slots[2]?.attemptsLeft = 7
        let card = try setup.card()
        let host = try Self.administrator(card)
        let before = card.send("80CA470200").dropFirst(26).prefix(32)
        let password = Self.password(host.send("8086110206 800101 810101 00"))
        #expect(try password.contains(Regex("^B[A-NP-Z]{15}$")))
        #expect(card.tries(2) == [1, 5, 10, 1000])
        let salt = card.send("80CA470200").dropFirst(26).prefix(32)
        #expect(salt != before)
        let old = try ChannelHost(card, .modern)
        old.slot = 2
        #expect(try old.pair() == "63c4", "the old password is wrong now")
        let verifier = try ChannelProfile.modern.verifier(password, [UInt8](hex: String(salt)))
        let hosts = try (0..<2).map { _ in try ChannelHost(card, .modern, verifier: verifier) }
        for host in hosts { host.slot = 2 }
        #expect(try hosts[0].pair() == "9000" && hosts[0].open() == "9000")
        #expect(card.tries(2)[0] == 4)
        #expect(try hosts[1].pair() == "6984", "N24")
    }

    @Test("80 86 11 wants the administrator, a slot that exists, and well-formed wishes; six slots are all there are")
    func refusedPassword() throws {
        let card = try TokenSetup(sessions: 4).card()
        let host = try card.connectedHost(.modern)
        #expect(host.send("8086110003800100" + "00") == "6982")
        #expect(host.send("0020000208" + PIN.user) == "9000")
        #expect(host.send("8086110003800100" + "00") == "6982", "the user is not enough")
        #expect(host.send("0020000108" + PIN.administrator) == "9000")
        #expect(host.send("8086110703800100" + "00") == "6a86")
        for data in ["03800102", "03810100", "028000", "06800100810102", "04 80010000", "06 810100 800100"] {
            #expect(host.send("80861103" + data + "00") == "6a80", "\(data)")
        }
        #expect(host.send("8086110300") == "6a80")
        #expect(card.tries(3) == [0, 0, 0, 0])
        for _ in 3...6 { _ = Self.password(host.send("8086110003800100" + "00")) }
        #expect(host.send("8086110003800100" + "00") == "6a84")
    }

    @Test("N57: the channel reset leaves no record and no session, and both key pairs are new", arguments: [1, 4])
    func channelReset(sessions: Int) throws {
        let card = try TokenSetup(sessions: sessions).card()
        let hosts = try ChannelProfile.allCases.map { try card.connectedHost($0) }
        let host = try Self.administrator(card)
        #expect(host.send("80861F01") == "6a86")
        #expect(host.send("80861F00") == "9000", "the reply is still under the session's keys")
        for host in hosts + [host] { #expect(host.send("00CA018108") == "bare 6985") }
        for host in hosts + [host] {
            #expect(try host.open() == "6a88")
            let before = host.tokenKey
            #expect(try host.pair() == "9000")
            #expect(host.tokenKey != before)
            #expect(try host.open() == "9000")
        }
        #expect(card.tries(1)[0] == 1, "passwords and counters stay")
    }

    @Test("The channel reset needs the administrator")
    func channelResetRefused() throws {
        let card = try TokenSetup(sessions: 4).card()
        let host = try card.connectedHost(.modern)
        #expect(host.send("80861F00") == "6982")
        #expect(card.send("80861F00") == "6987")
        #expect(try host.open() == "9000")
    }

    @Test("N82: on a wire without policy b1 the administrator resets C1 in plain; over the air he cannot")
    func blockedWithoutPairing() throws {
        var setup = TokenSetup()
        setup.slots = [1: TokenSetup.slot(1)]
        setup.slots[1]?.triesInARow = 0
        setup.identity.channel?.policy = 1
        setup.identity.channel?.isWireless = false
        let card = try setup.card()
        #expect(try ChannelHost(card, .modern).pair() == "6983")
        #expect(card.send("80861001") == "6982")
        #expect(card.loginAdministrator() == "9000")
        #expect(card.send("80861001") == "9000")
        #expect(try ChannelHost(card, .modern).pair() == "9000")
        #expect(card.send("80861F00") == "9000", "and all else that is the administrator's")

        setup.identity.channel?.policy = 0
        setup.identity.channel?.isWireless = true
        let wireless = try setup.card()
        #expect(wireless.loginAdministrator() == "9000")
        #expect(wireless.send("80861001") == "6982")
        setup.identity.channel?.policy = 2
        setup.identity.channel?.isWireless = false
        #expect(try setup.card().send("80861001") == "6987")
    }

    @Test("A channel reset in plain ends all sessions")
    func plainReset() throws {
        var setup = TokenSetup(sessions: 2)
        setup.identity.channel?.policy = 1
        setup.identity.channel?.isWireless = false
        let card = try setup.card()
        let host = try card.connectedHost(.classic)
        #expect(card.loginAdministrator() == "9000")
        #expect(card.send("80861F00") == "9000")
        #expect(host.send("00CA018108") == "bare 6985")
    }

    @Test("E2 and E3 tell the state of slots and sessions, and whether pairing is possible here")
    func hints() throws {
        var setup = TokenSetup(sessions: 4)
        setup.slots[2]?.triesInARow = 0
        setup.slots[3] = TokenSetup.slot(3)
        setup.slots[3]?.failuresLeft = 0
        setup.slots[4] = TokenSetup.slot(4)
        setup.slots[4]?.isConsumed = true
        let slot = TokenSetup.slot(5)
        setup.slots[5] = ActivationSlot(salt: slot.salt, verifiers: slot.verifiers.filter { $0.key == .modern })
        let card = try setup.card()
        #expect(card.send("80CA470000").contains("e21280010381060102030401008205"))
        let host = try card.connectedHost(.modern)
        #expect(card.send("80CA470000").contains("800107"), "a session is active")
        #expect(host.send("80CA470500").hasPrefix("e3288001058101018201028310"))
        #expect(host.send("80CA470600").contains("8201008310" + String(repeating: "0", count: 32)))
        #expect(host.send("80CA470700") == "6a86")
    }
}
