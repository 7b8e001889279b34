// SPDX-License-Identifier: Apache-2.0
import APDU
import Emulator
import Secrets
import TestSupport
import Testing

@Suite("Message protection, token's side (GSC/1, 11, 13, 14 and 19)")
struct ProtectionTests {
    @Test(
        "N37: no command with one bit flipped is executed, and each is answered as prescribed",
        arguments: ChannelProfile.allCases, [1, 4])
    func bitFlips(profile: ChannelProfile, sessions: Int) throws {
        let card = try TokenSetup(sessions: sessions).card()
        let host = try card.connectedHost(profile)
        let count = host.protect("0020000208" + PIN.wrong).count
        let allowed: Set = ["6988", "6987", "6985", "6881", "6882", "6e00"]
        // Lc (byte 4) and Le (the last) only frame the message.
        for position in (0..<count - 1).filter({ $0 != 4 }) {
            #expect(try host.open() == "9000")
            for bit in 0..<8 {
                if sessions == 1 { #expect(try host.open() == "9000") }
                var command = host.protect("0020000208" + PIN.wrong)
                if sessions > 1 { host.takeBack() }
                command[position] ^= 1 << bit
                #expect(allowed.contains(card.process(command).hex), "byte \(position), bit \(bit)")
            }
        }
        #expect(try host.open() == "9000")
        #expect(host.send("00200002") == "63ca", "no try was spent")
    }

    @Test("N37: the same for a command with all three objects", arguments: ChannelProfile.allCases)
    func bitFlipsOfAllObjects(profile: ChannelProfile) throws {
        let card = try TokenSetup(sessions: 4).card()
        let host = try card.connectedHost(profile)
        for position in 0..<40 where position != 4 {
            #expect(try host.open() == "9000")
            for bit in 0..<7 {
                var command = host.protect("00A4080006 10001000100000")
                host.takeBack()
                guard position < command.count - 1 else { continue }
                command[position] ^= 1 << bit
                #expect(card.process(command).hex.count == 4, "byte \(position), bit \(bit)")
            }
            #expect(host.send("00B0000001") == "6a82", "no file was selected")
        }
    }

    @Test(
        "A protected command whose outer length is wrong is not executed and harms nobody",
        arguments: ChannelProfile.allCases)
    func framing(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost(profile)
        var command = host.protect("0020000208" + PIN.wrong)
        command[4] ^= 1
        #expect(card.process(command).hex == "6700")
        command[4] ^= 1
        #expect(host.open(card.process(command)) == "6300", "the session waited for it")
    }

    @Test(
        "N38: replayed, swapped and skipped commands are refused", arguments: ["replayed", "swapped", "skipped"],
        Variant.all)
    func numbering(kind: String, variant: Variant) throws {
        let card = try TokenSetup(sessions: variant.sessions).card()
        let host = try card.connectedHost(variant.profile)
        let messages = (0..<3).map { _ in host.protect("0084000008") }
        if kind == "replayed" { #expect(card.process(messages[0]).count == 27) }
        let (wrong, right) = kind == "replayed" ? (0, 1) : (kind == "swapped" ? 1 : 2, 0)
        #expect(card.process(messages[wrong]).hex == "6988")
        let answer = card.process(messages[right]).hex
        if variant.sessions == 1 {
            #expect(answer == "6985", "with one session the first mistake ends it")
        } else {
            #expect(answer.count == 54, "the right one still comes")
        }
    }

    @Test(
        "N42: objects that are missing, cut, doubled, out of order or unknown are refused",
        arguments: ChannelProfile.allCases)
    func malformed(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost(profile)
        let tag = String(repeating: "00", count: 8)
        let bodies: [(String, String)] = [
            ("", "6987"), ("970108", "6987"), ("870302aabb870302aabb", "6987"), ("8e04\(tag.prefix(8))", "6988"),
            ("8e10" + tag + tag, "6988"), ("870302aabb970108", "6987"), ("970108870302aabb8e08" + tag, "6988"),
            ("870302aabb870302aabb8e08" + tag, "6988"), ("870300aabb8e08" + tag, "6988"),
            ("870303aabb8e08" + tag, "6988"), ("8701028e08" + tag, "6988"), ("97008e08" + tag, "6988"),
            ("97030001008e08" + tag, "6988"), ("8e08" + tag + "00", "6988"), ("99029000 8e08" + tag, "6988"),
            ("8e8108" + tag, "6988"),
        ]
        for (body, expected) in bodies {
            #expect(try host.open() == "9000")
            let bytes = [UInt8](hex: body)
            let command = bytes.isEmpty ? "0C840000" : "0C840000" + [UInt8(bytes.count)].hex + bytes.hex + "00"
            #expect(card.send(command) == expected, "\(body)")
            #expect(host.send("0084000008") == "bare 6985")
        }
    }

    @Test(
        "N51: PINs of 1 to 31 bytes give commands of one length; bad padding under a good tag ends the session",
        arguments: ChannelProfile.allCases)
    func padding(profile: ChannelProfile) throws {
        let card = try TokenSetup(sessions: 2).card()
        let host = try card.connectedHost(profile)
        var lengths: Set<Int> = []
        for count in 1...31 {
            let pin = String(repeating: "39", count: count)
            lengths.insert(host.protect("00200002" + [UInt8(count)].hex + pin).count)
        }
        #expect(lengths.count == 1)
        let header: [UInt8] = [0x0C, 0x20, 0x00, 0x02]
        let eight = [UInt8](repeating: 0x30, count: 8)
        for data in [eight, eight + [0x81], [UInt8](repeating: 0, count: 32)] {
            #expect(try host.open() == "9000")
            let command = host.protect(header: header, data: data, expected: [], padding: 1, mark: [])
            #expect(card.process(command).hex == "6988")
            #expect(host.send("0084000008") == "bare 6985", "without eight strikes")
        }
        #expect(try host.open() == "9000")
        let short = host.protect(header: header, data: eight, expected: [], padding: 1, block: 16)
        #expect(card.process(short).hex == "6988", "padding fills a multiple of 32")
        #expect(try host.open() == "9000")
        #expect(host.send("00200002") == "63ca")
    }

    @Test(
        "N44: while the channel is required plain commands answer 6987 and leave sessions alone",
        arguments: ChannelProfile.allCases)
    func plainCommands(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost(profile)
        for command in [
            "0020000208" + PIN.user, "00A40000023F0000", "8071000000", "80400000", "80860F00", "80862000", "80CA471000",
            "80E447FF", "80861001",
        ] { #expect(card.send(command) == "6987", "\(command)") }
        #expect(card.send("80CA470000").hasPrefix("e128"))
        #expect(host.send("00CA018108").hasSuffix("9000"))
    }

    @Test(
        "Where no policy asks for the channel plain commands work beside it, each with its own login",
        arguments: ChannelProfile.allCases)
    func optionalChannel(profile: ChannelProfile) throws {
        var setup = TokenSetup()
        setup.identity.channel?.policy = 1
        setup.identity.channel?.isWireless = false
        let card = try setup.card()
        let host = try card.connectedHost(profile)
        #expect(card.loginUser() == "9000")
        #expect(host.send("0020000208" + PIN.user) == "9000", "not 6F86")
        #expect(host.send("80400000") == "9000")
        #expect(card.loginUser() == "6f86", "each context has its own rights")
        for command in ["80860F00", "80CA471000", "80E447FF", "8086200000", "8086210000"] {
            #expect(card.send(command) == "6985")
        }
        for command in ["8086220000", "8086050000", "80861F0100"] { #expect(card.send(command) == "6a86") }
        #expect(card.send("80861001") == "6982")
        #expect(card.loginAdministrator() == "9000")
        #expect(card.send("80861001") == "9000")
    }

    @Test(
        "N46: channels that are not there, other kinds of protection and classes have their own status words",
        arguments: ChannelProfile.allCases)
    func classes(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost(profile)
        for (cla, expected) in [
            ("0D", "6881"), ("8D", "6881"), ("0F", "6881"), ("04", "6882"), ("08", "6882"), ("88", "6882"),
            ("01", "6881"), ("83", "6881"), ("20", "6e00"), ("4C", "6e00"), ("2C", "6e00"), ("FF", "6e00"),
        ] { #expect(card.send(cla + "84000008") == expected, "\(cla)") }
        #expect(host.send("00CA018108").hasSuffix("9000"))
    }

    @Test("N49: the keys change after 256 commands on both sides", arguments: ChannelProfile.allCases)
    func epochs(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost(profile)
        for _ in 1...520 { #expect(host.send("0084000001").hasSuffix("9000")) }
    }

    @Test("N49: command 65 536 is the last of a session", arguments: ChannelProfile.allCases)
    func lastCommand(profile: ChannelProfile) throws {
        let seed = [UInt8](repeating: 1, count: 32)
        var protection = try MessageProtection(profile, seed: Secret(copying: seed))
        let host = try ChannelHost(TokenSetup().card(), profile)
        host.begin(.init(hostMAC: [], seed: seed, exporter: []))
        try protection.skip(to: 65_535)
        host.skip(to: 65_535)
        _ = try protection.open(Command(parsing: host.protect("00CA018108").span))
        #expect(host.open(try protection.seal(Response(.success)) + [0x90, 0x00]) == "9000")
        let late = try Command(parsing: host.protect("00CA018108").span)
        do throws(MessageProtection.Failure) {
            _ = try protection.open(late)
            Issue.record("accepted")
        } catch {
            #expect(error == .exhausted)
        }
    }

    @Test(
        "A long reply waits inside the channel: 61xx under the tag, then protected GET RESPONSE",
        arguments: ChannelProfile.allCases)
    func innerRemainder(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost(profile)
        let answer = host.send("0084000000")
        #expect(answer.hasSuffix("6112") && data(answer).count == 476, "238 of 256 bytes")
        #expect(data(host.send("00C0000012")).count == 36)
        #expect(host.send("00C0000012") == "6985", "there is no more")
        #expect(host.send("80CA470000").hasSuffix("9000"))
        #expect(host.send("80CA470010").hasSuffix("612e"), "Le cuts too")
        #expect(host.send("00C0000010").hasSuffix("611e"))
        #expect(host.send("0084000001").hasSuffix("9000"))
        #expect(host.send("00C0000010") == "6985", "another command discards the rest")
    }

    @Test(
        "A long protected body waits outside: 61xx and plain GET RESPONSE on its channel, once",
        arguments: ChannelProfile.allCases)
    func outerRemainder(profile: ChannelProfile) throws {
        var setup = TokenSetup()
        setup.identity.channel?.maximumReply = 1024
        let card = try setup.card()
        let host = try card.connectedHost(profile)
        func request() -> [UInt8] { card.process(host.protect("0084000000")) }
        var body = request()
        #expect(body.count == 258 && body.suffix(2) == [0x61, 0x13])
        let rest = card.process([0x00, 0xC0, 0, 0, 0x13])
        body = body.dropLast(2) + rest
        #expect(host.open(body).map { data($0).count } == 512)
        #expect(card.send("00C0000012") == "6985")
        for junk in ["01C0000012", "80CA470000", "00"] {
            #expect(request().suffix(2) == [0x61, 0x13])
            card.send(junk)
            #expect(card.send("00C0000012") == "6985", "N69: the buffer is gone")
        }
        #expect(host.send("00CA018108").hasSuffix("9000"), "GET RESPONSE is not counted")
    }

    @Test(
        "A command longer than one APDU comes in protected links, undisturbed by others (N68)",
        arguments: ChannelProfile.allCases)
    func chaining(profile: ChannelProfile) throws {
        let card = try TokenSetup(sessions: 2).card()
        let host = try card.connectedHost(profile)
        let other = try card.connectedHost(profile)
        #expect(host.send("0020000208" + PIN.user, padded: true) == "9000")
        #expect(host.send("00A4080004 10001001") == "9000")
        #expect(host.send("00E000001F 6F1D 80020190 82020100 83024001 860F43000200000000020000000000 0000") == "9000")
        let link = String(repeating: "aa", count: 200)
        #expect(host.send("10D60000C8" + link) == "9000")
        card.send("00CA018108")
        #expect(other.send("0084000008").hasSuffix("9000"))
        #expect(host.send("00D60000C8" + link) == "9000")
        #expect(host.send("00B0018F01") == "aa9000")
        #expect(host.send("10D60000C8" + String(repeating: "bb", count: 200)) == "9000")
        #expect(host.send("0084000001").hasSuffix("9000"), "another command of the session ends the chain")
        #expect(host.send("00D60000C8" + String(repeating: "cc", count: 200)) == "9000")
        #expect(host.send("00B0000001") == "cc9000", "and the last link stands for itself")
    }

    @Test("N47: 238 bytes pass, more than the token takes answers protected 6700", arguments: ChannelProfile.allCases)
    func sizes(profile: ChannelProfile) throws {
        var setup = TokenSetup()
        setup.identity.channel?.maximumCommand = 128
        let card = try setup.card()
        let host = try card.connectedHost(profile)
        #expect(host.send("002A908080" + String(repeating: "aa", count: 128) + "20").hasSuffix("9000"))
        #expect(host.send("002A908081" + String(repeating: "aa", count: 129) + "20") == "6700")
        #expect(host.send("00CA018108").hasSuffix("9000"), "the command counted")
        let wide = try TokenSetup().card().connectedHost(profile)
        #expect(wide.send("002A9080EE" + String(repeating: "aa", count: 238) + "20").hasSuffix("9000"))
    }

    @Test("The recorded conversation contains neither PIN nor data", arguments: ChannelProfile.allCases)
    func confidentiality(profile: ChannelProfile) throws {
        let card = try TokenSetup().card()
        let host = try card.connectedHost(profile)
        let command = host.protect("0020000208" + PIN.user)
        #expect(!command.hex.contains(PIN.user))
        let reply = card.process(command)
        #expect(host.open(reply) == "9000")
        let label = card.process(host.protect("00A4080006 1000 1000 1000"))
        #expect(host.open(label) == "9000")
        let content = card.process(host.protect("00B0000800"))
        #expect(!content.hex.contains([UInt8]("token".utf8).hex))
        #expect(host.open(content) == [UInt8]("token".utf8).hex + "6282")
    }
}
