import Emulator
import TestSupport
import Testing

@Suite("Opening and renewing sessions, token's side (GSC/1, 10, 11 and 19)")
struct OpeningTests {
    @Test("N26: OPEN-1 of an unknown host answers 6A88")
    func unknownHost() throws {
        let card = try TokenSetup().card()
        #expect(try ChannelHost(card).open() == "6a88")
    }

    @Test("Malformed OPEN-1 and OPEN-2 answer 6A80; other profiles and parameters have their own status words")
    func malformed() throws {
        let card = try TokenSetup().card()
        let host = try ChannelHost(card)
        #expect(try host.pair() == "9000")
        let contribution = String(repeating: "22", count: 16)
        let identity = host.identity.hex
        for body in [
            "7c00", "7c1c 8208\(identity) 8210\(contribution)", "7c1b 8108\(identity) 820f\(contribution.dropLast(2))",
            "7c26 8108\(identity) 8210\(contribution) 83080000000000000000",
        ] {
            let bytes = [UInt8](hex: body)
            #expect(card.send("80860301" + [UInt8(bytes.count)].hex + bytes.hex + "00") == "6a80", "\(body)")
        }
        #expect(card.send("8086030200") == "6a81")
        #expect(card.send("8086030300") == "6a86")
        #expect(try host.beginOpening().status == "9000")
        #expect(card.send("80860400137c118508" + String(repeating: "00", count: 15)) == "6a80")
        #expect(try host.beginOpening().status == "9000")
        #expect(card.send("80860400127c10850e" + String(repeating: "00", count: 14)) == "6a80")
        #expect(card.send("8086040100") == "6987")
        #expect(card.send("8086050000") == "6987")
    }

    @Test("N4: with several sessions INST is obligatory")
    func instanceMissing() throws {
        let card = try TokenSetup(sessions: 4).card()
        let host = try ChannelHost(card)
        #expect(try host.pair() == "9000")
        #expect(try host.open() == "6a80")
    }

    @Test("N30, N31: a wrong or replayed MAC_H answers 6300, and the active session stays")
    func wrongMAC() throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost()
        let other = try ChannelHost(card)
        #expect(try other.pair() == "9000")
        let contribution = [UInt8](repeating: 5, count: 16)
        let first = other.firstOpening(contribution, instance: [])
        let answer = [UInt8](hex: card.send(first))
        let opening = try #require(other.derive(answer, contribution, [UInt8](repeating: 0, count: 32)))
        var wrong = opening.hostMAC
        wrong[15] ^= 1
        let flipped = ChannelHost.Opening(hostMAC: wrong, seed: [], exporter: [])
        #expect(card.send(other.secondOpening(flipped)) == "6300")
        #expect(card.send(other.secondOpening(opening)) == "6985", "the handshake is gone")
        #expect(status(card.send(first)) == "9000")
        #expect(card.send(other.secondOpening(opening)) == "6300", "recorded MAC_H under a fresh C_T")
        #expect(host.send("00CA018108") == "000000000e0000019000")
    }

    @Test("N32, N63: a flood of bare OPEN-1 leaves the session alone; a completed one takes it over without its login")
    func flood() throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost()
        #expect(host.send("0020000208" + PIN.user) == "9000")
        let other = try ChannelHost(card)
        #expect(try other.pair() == "9000")
        for _ in 0..<20 { _ = try other.beginOpening() }
        #expect(host.send("0020000208" + PIN.user) == "6f86")
        #expect(try other.open() == "9000")
        #expect(other.send("0020000208" + PIN.user) == "9000", "not 6F86")
        #expect(host.send("00CA018108") == "bare 6988")
    }

    @Test("N50: a plain opening clears login, file and environment; a renewal keeps them")
    func renewKeepsContext() throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost()
        #expect(host.send("0020000208" + PIN.user) == "9000")
        #expect(host.send("00A4080006 1000 1000 1000") == "9000")
        #expect(try host.renew() == "9000")
        #expect(host.send("0020000208" + PIN.user) == "6f86")
        #expect(host.send("00B0000002") == "544e9000")
        #expect(try host.open() == "9000")
        #expect(host.send("00B0000002") == "6a82")
        #expect(host.send("0020000208" + PIN.user) == "9000")
    }

    @Test("N62: a renewal for another host, with a wrong MAC or inside a chain is refused, and the session goes on")
    func refusedRenewal() throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost()
        let other = try ChannelHost(card)
        #expect(try other.pair() == "9000")
        #expect(host.send(other.firstOpening([UInt8](repeating: 1, count: 16), instance: [])) == "6985")
        let first = host.firstOpening([UInt8](repeating: 1, count: 16), instance: [])
        #expect(status(host.send(first)) == "9000")
        #expect(host.send("80860400147c128510" + String(repeating: "00", count: 16)) == "6300")
        #expect(status(host.send(first)) == "9000")
        #expect(host.send("0084000001").hasSuffix("9000"))
        #expect(host.send("80860400147c128510" + String(repeating: "00", count: 16)) == "6985")
        #expect(host.send("102A908001 61") == "9000")
        #expect(host.send(first) == "6985")
        #expect(try host.renew() == "9000")
        #expect(host.send("00CA018108") == "000000000e0000019000")
    }

    @Test("N45, N52: without a session, and after CLOSE, a protected command answers 6985")
    func close() throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost()
        #expect(host.send("80860F00") == "9000")
        #expect(host.send("00CA018108") == "bare 6985")
        #expect(try host.open() == "9000")
        card.reset()
        #expect(host.send("00CA018108") == "bare 6985", "a reset ends all sessions")
    }

    @Test("N55, N56: UNPAIR of the own record ends it after the reply; another's needs the administrator")
    func unpair() throws {
        let card = try TokenSetup().card()
        let other = try card.connectedHost()
        let host = try card.connectedHost()
        #expect(host.send("80E44701") == "6982")
        #expect(host.send("80E44709") == "6982")
        #expect(host.send("0020000108" + PIN.administrator) == "9000")
        #expect(host.send("80E44709") == "6a88")
        #expect(host.send("80E44701") == "9000")
        #expect(try other.open() == "6a88")
        #expect(host.send("80E447FF") == "9000")
        #expect(host.send("00CA018108") == "bare 6985")
        #expect(try host.open() == "6a88")
    }

    @Test("LIST names every host, and says which one asks")
    func list() throws {
        let card = try TokenSetup().card()
        let pending = try ChannelHost(card)
        #expect(try pending.pair() == "9000")
        let host = try card.connectedHost()
        func entry(_ index: String, _ state: String, _ host: ChannelHost, _ own: String) -> String {
            "e421" + "8001\(index)8101\(state)820101" + "8308" + host.identity.hex + "8409"
                + [UInt8]("test host".utf8).hex + "8501\(own)"
        }
        let expected = entry("01", "00", pending, "00") + entry("02", "01", host, "01")
        #expect(host.send("80CA471000") == expected + "9000")
        #expect(card.send("80CA471000") == "6987")
    }

    @Test("N64, N65, N66: sessions of several hosts live side by side; the least recently used gives way")
    func parallel() throws {
        let card = try TokenSetup(sessions: 2).card()
        let first = try card.connectedHost(instance: [UInt8](repeating: 1, count: 8))
        let second = try card.connectedHost(instance: [UInt8](repeating: 2, count: 8))
        #expect([first.channel, second.channel] == [0, 1])
        #expect(first.send("0020000208" + PIN.user) == "9000")
        #expect(second.send("0020000208" + PIN.user) == "9000", "a login belongs to its session")
        #expect(try first.open() == "9000", "N65: the same process re-opens in its own place")
        #expect(first.channel == 0)
        #expect(second.send("0020000208" + PIN.user) == "6f86")
        #expect(first.send("00CA018108").hasSuffix("9000"))
        let third = try card.connectedHost(instance: [UInt8](repeating: 3, count: 8))
        #expect(third.channel == 1, "the second was used longer ago")
        #expect(second.send("00CA018108") == "bare 6988")
        #expect(third.send("00CA018108").hasSuffix("9000"), "the newcomer survives the stale command")
        for _ in 0..<7 { #expect(second.send("00CA018108") == "bare 6988") }
        #expect(third.send("00CA018108") == "bare 6985", "N66: eight strikes end a session")
        #expect(first.send("00CA018108").hasSuffix("9000"))
    }

    @Test("N79: a format in one session clears the login of the others and leaves their channels open")
    func formatWithOthers() throws {
        let card = try TokenSetup(sessions: 2).card()
        let first = try card.connectedHost(instance: [UInt8](repeating: 1, count: 8))
        let second = try card.connectedHost(instance: [UInt8](repeating: 2, count: 8))
        #expect(second.send("0020000208" + PIN.user) == "9000")
        #expect(second.send("00A4080006 1000 1000 1000") == "9000")
        #expect(first.send("808A0000") == "9000")
        #expect(first.send("00E000001F 6F1D 80020000 82023800 83023F00 860F47020201000000FF00000000000000") == "9000")
        let pin = "6225 82021000 80020008 83020002 85060106 00AA0000 860F43010200000000FF00000000000000"
        #expect(first.send("00E0000027" + pin) == "9000")
        #expect(first.send("002401020E 80020008A608" + PIN.user) == "9000")
        #expect(first.send("80844E19") == "9000")
        #expect(second.send("00B0000001") == "6a82")
        #expect(second.send("0020000208" + PIN.user) == "9000", "not 6F86")
        #expect(second.send("00E0000027" + KeyFiles.privateKey("01")) == "6a82", "there is no directory for it")
    }

    @Test("A re-paired record that another host takes over ends the first host's session")
    func takenOver() throws {
        var setup = TokenSetup(sessions: 2)
        setup.identity.channel?.records = 1
        let card = try setup.card()
        let host = try card.connectedHost(instance: [UInt8](repeating: 1, count: 8))
        #expect(try host.pair() == "9000")
        #expect(host.send("00CA018108").hasSuffix("9000"))
        let other = try ChannelHost(card)
        #expect(try other.pair() == "9000")
        #expect(host.send("00CA018108") == "bare 6985")
    }
}
