import APDU
import Emulator
import Secrets
import TestSupport
import Testing

/// A token with the secrets of a set of `gsc1.json`.
struct VectorToken {
    let profile: JSON
    let set: JSON
    let card: EmulatedCard
    let random = PreparedRandom()

    init(_ name: String) throws {
        set = try JSON(vectors: "gsc1.json").sets[name]
        profile = set.profiles.classic
        let sessions = set.parallel_sessions.number ?? 1
        var setup = TokenSetup(sessions: sessions)
        setup.identity.channel?.profiles = 3
        setup.identity.channel?.policy = 1
        setup.identity.channel?.features = sessions == 1 ? nil : 1
        setup.serial = set.SER.bytes
        setup.random = random
        setup.privateKey = profile.t.bytes
        let slot = ActivationSlot(salt: set.salt.bytes, verifier: Sealed(copying: profile.pairing.K_F.bytes))
        setup.slots = [profile.pairing.slot.number ?? 1: slot]
        let taken = PairingRecord(
            isActive: true, profile: 1, hostIdentity: [UInt8](repeating: 7, count: 8), publicKey: profile.T_pub.bytes,
            label: [], slot: 1, created: 0, lastUsed: 0)
        setup.records = Array(repeating: taken, count: (profile.pairing.record_index.number ?? 1) - 1)
        card = try setup.card()
    }

    var host: ChannelHost {
        get throws {
            let host = try ChannelHost(card, scalar: profile.h.bytes, verifier: profile.pairing.K_F.bytes)
            host.slot = profile.pairing.slot.number ?? 1
            host.tokenKey = profile.T_pub.bytes
            return host
        }
    }

    func pair() {
        random.prepare(profile.pairing.R_T.bytes)
        for (command, response) in [("pair1_command", "pair1_response"), ("pair2_command", "pair2_response")] {
            #expect(card.send(profile.pairing[command].text ?? "") == profile.pairing[response].text)
        }
    }

    /// Opens the vector's session. With several sessions others are opened first, so that it gets the vector's channel.
    func open() throws {
        for index in 0..<(profile.open.channel.number ?? 0) {
            let other = try host
            other.instance = [UInt8](repeating: UInt8(index), count: 8)
            #expect(try other.open() == "9000")
        }
        random.prepare(profile.open.C_T.bytes)
        for (command, response) in [("open1_command", "open1_response"), ("open2_command", "open2_response")] {
            #expect(card.send(profile.open[command].text ?? "") == profile.open[response].text)
        }
    }
}

@Suite("The published vectors of GSC/1, classic profile, from the token's side")
struct ChannelVectorTests {
    @Test("Capabilities, pairing and opening answer byte for byte", arguments: ["A", "B"])
    func handshakes(set: String) throws {
        let token = try VectorToken(set)
        #expect(token.card.send("80CA470000").hasPrefix(token.set.E1.text ?? "-"))
        token.pair()
        try token.open()
    }

    @Test("Every valid E1 of the list is what a token of its features says")
    func capabilities() throws {
        for entry in try JSON(vectors: "gsc1.json").E1_valid.list {
            var setup = TokenSetup(sessions: entry.sessions.number ?? 1)
            let bytes = entry.E1.bytes
            setup.serial = Array(bytes[11..<19])
            setup.identity.channel?.profiles = bytes[21]
            setup.identity.channel?.maximumCommand = Int(bytes[24]) << 8 | Int(bytes[25])
            setup.identity.channel?.maximumReply = Int(bytes[28]) << 8 | Int(bytes[29])
            setup.identity.channel?.policy = bytes[32]
            setup.identity.channel?.features = bytes.count > 42 ? bytes[bytes.count - 1] : nil
            #expect(try setup.card().send("80CA470000").hasPrefix(bytes.hex + "e2"))
        }
    }

    @Test("Message protection opens each command and seals each reply byte for byte", arguments: ["A", "B"])
    func messages(set: String) throws {
        let profile = try JSON(vectors: "gsc1.json").sets[set].profiles.classic
        var protection = try MessageProtection(seed: Secret(copying: profile.open.S_0.bytes))
        for exchange in profile.exchanges.list {
            guard let number = exchange.n.number else { continue }
            if protection.number != number - 1 { try protection.skip(to: number - 1) }
            try Self.check(exchange, &protection)
        }
    }

    private static func check(_ exchange: JSON, _ protection: inout MessageProtection) throws {
        let command = try Command(parsing: exchange.command.bytes.span)
        let inner = try protection.open(command)
        let header = [inner.cla, inner.ins, inner.p1, inner.p2]
        #expect(header.hex == exchange.inner_header.text, "\(exchange.id.text ?? "")")
        #expect(inner.data.bytes.indices.map { inner.data.bytes[$0] }.hex == exchange.inner_data.text)
        #expect(inner.ne == exchange.inner_ne.number)
        let status = exchange.inner_sw.bytes
        let response = Response(StatusWord(status[0], status[1]), data: exchange.inner_response_data.bytes)
        let isPadded = exchange.pi_response.number == 1
        let sealed = try protection.seal(response)
        // The only padded reply is that of a command which is not there yet.
        if !isPadded { #expect(sealed.hex + "9000" == exchange.response.text, "\(exchange.id.text ?? "")") }
    }

    @Test("A renewal answers byte for byte, and the session goes on under the new keys")
    func renewal() throws {
        let token = try VectorToken("B")
        token.pair()
        try token.open()
        let host = try token.host
        host.instance = token.profile.open.INST.bytes
        host.channel = UInt8(token.profile.open.channel.number ?? 0)
        host.begin(.init(hostMAC: [], seed: token.profile.open.S_0.bytes, exporter: token.profile.open.K_exp.bytes))
        for _ in 1...257 { #expect(host.send("0084000001").hasSuffix("9000")) }
        token.random.prepare(token.profile.renew.C_T.bytes)
        for exchange in token.profile.renew.exchanges_under_old_keys.list {
            #expect(token.card.process(exchange.command.bytes).hex == exchange.response.text)
        }
        token.random.prepare([UInt8](0..<8))
        for exchange in token.profile.renew.exchanges.list {
            #expect(token.card.process(exchange.command.bytes).hex == exchange.response.text)
        }
        #expect(host.card.process(token.profile.renew.exchanges[1].command.bytes).hex == "6985", "CLOSE was last")
    }

    @Test("Every malformed command of the list is refused as the list says", arguments: ["A", "B"])
    func errors(set: String) throws {
        let entries = try JSON(vectors: "gsc1.json").errors.list.filter {
            $0.set.text == set && $0.profile.text == "classic" && $0.direction.text == "command"
        }
        #expect(entries.count == 9)
        for entry in entries {
            let token = try VectorToken(set)
            token.pair()
            try token.open()
            for exchange in token.profile.exchanges.list.prefix(2) {
                #expect(token.card.process(exchange.command.bytes).hex.hasSuffix("9000"))
            }
            let what = entry.what.text ?? ""
            let expected = entry.expect.text ?? ""
            #expect(token.card.process(entry.apdu.bytes).hex == expected.prefix(4), "\(what)")
            let genuine = token.profile.exchanges[2].command.bytes
            let after = token.card.process(set == "A" && genuine.isEmpty ? [] : genuine).hex
            #expect(after.hasSuffix(expected.contains("erased") ? "6985" : "9000"), "\(what)")
        }
    }
}
