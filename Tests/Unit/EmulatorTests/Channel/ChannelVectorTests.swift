// SPDX-License-Identifier: Apache-2.0
import APDU
import Emulator
import Secrets
import TestSupport
import Testing

/// A token with the secrets of a set of `gsc1.json`.
struct VectorToken {
    let profile: ChannelProfile
    let vector: JSON
    let set: JSON
    let card: EmulatedCard
    let random = PreparedRandom()

    init(_ vectors: Vectors) throws {
        profile = vectors.profile
        set = try JSON(vectors: "gsc1.json").sets[vectors.set]
        vector = set.profiles[profile.name]
        var setup = TokenSetup(sessions: set.parallel_sessions.number ?? 1)
        setup.identity.channel?.policy = 1
        setup.serial = set.SER.bytes
        setup.random = random
        for profile in ChannelProfile.allCases { setup.scalars[profile] = set.profiles[profile.name].t.bytes }
        let verifiers: [ChannelProfile: SharedSecret] = [
            .classic: SharedSecret(copying: set.profiles.classic.pairing.K_F.bytes),
            .modern: SharedSecret(copying: set.profiles.modern.pairing.Q_PW.bytes),
        ]
        setup.slots = [
            vector.pairing.slot.number ?? 1: ActivationSlot(salt: set.salt.bytes, verifiers: verifiers)
        ]
        let taken = PairingRecord(
            isActive: true, profile: profile, hostIdentity: [UInt8](repeating: 7, count: 8),
            publicKey: vector.T_pub.bytes, label: [], slot: 1, created: 0, lastUsed: 0)
        setup.records = Array(repeating: taken, count: (vector.pairing.record_index.number ?? 1) - 1)
        card = try setup.card()
    }

    var host: ChannelHost {
        get throws {
            let verifier = profile == .classic ? vector.pairing.K_F : vector.pairing.Q_PW
            let host = try ChannelHost(card, profile, scalar: vector.h.bytes, verifier: verifier.bytes)
            host.slot = vector.pairing.slot.number ?? 1
            host.tokenKey = vector.T_pub.bytes
            return host
        }
    }

    func pair() {
        random.prepare(profile == .classic ? vector.pairing.R_T.bytes : vector.pairing.beta.bytes)
        for (command, response) in [("pair1_command", "pair1_response"), ("pair2_command", "pair2_response")] {
            #expect(card.send(vector.pairing[command].text ?? "") == vector.pairing[response].text)
        }
    }

    /// Has the token choose the C_T of a handshake of the set.
    func prepare(_ handshake: JSON) {
        random.prepare(profile == .classic ? handshake.C_T.bytes : handshake.e_T.bytes)
    }

    /// Opens the vector's session. With several sessions others are opened first, so that it gets the vector's channel.
    func open() throws {
        for _ in 0..<(vector.open.channel.number ?? 0) { #expect(try host.open() == "9000") }
        prepare(vector.open)
        for (command, response) in [("open1_command", "open1_response"), ("open2_command", "open2_response")] {
            #expect(card.send(vector.open[command].text ?? "") == vector.open[response].text)
        }
    }
}

/// One profile of one set of `gsc1.json`.
struct Vectors: CustomTestStringConvertible {
    let set: String
    let profile: ChannelProfile

    var testDescription: String { "\(set), \(profile)" }

    static let all = ["A", "B"].flatMap { set in
        ChannelProfile.allCases.map { Vectors(set: set, profile: $0) }
    }
}

extension ChannelProfile {
    var name: String { self == .classic ? "classic" : "modern" }
}

@Suite("The published vectors of GSC/1 from the token's side")
struct ChannelVectorTests {
    @Test("Capabilities, pairing and opening answer byte for byte", arguments: Vectors.all)
    func handshakes(vectors: Vectors) throws {
        let token = try VectorToken(vectors)
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
            setup.identity.channel?.profiles = ChannelProfile.allCases.filter { $0.rawValue & bytes[21] != 0 }
            setup.identity.channel?.maximumCommand = Int(bytes[24]) << 8 | Int(bytes[25])
            setup.identity.channel?.maximumReply = Int(bytes[28]) << 8 | Int(bytes[29])
            setup.identity.channel?.policy = bytes[32]
            setup.identity.channel?.features = bytes.count > 42 ? bytes[bytes.count - 1] : nil
            #expect(try setup.card().send("80CA470000").hasPrefix(bytes.hex + "e2"))
        }
    }

    @Test("Message protection opens each command and seals each reply byte for byte", arguments: Vectors.all)
    func messages(vectors: Vectors) throws {
        let vector = try JSON(vectors: "gsc1.json").sets[vectors.set].profiles[vectors.profile.name]
        var protection = try MessageProtection(vectors.profile, seed: Secret(copying: vector.open.S_0.bytes))
        for exchange in vector.exchanges.list {
            guard let number = exchange.n.number else { continue }
            if protection.number != number - 1 { try protection.skip(to: number - 1) }
            try Self.check(exchange, &protection)
        }
        var renewed = try MessageProtection(vectors.profile, seed: Secret(copying: vector.renew.S_0.bytes))
        for exchange in vector.renew.exchanges.list { try Self.check(exchange, &renewed) }
    }

    private static func check(_ exchange: JSON, _ protection: inout MessageProtection) throws {
        let command = try Command(parsing: exchange.command.bytes.span)
        let inner = try protection.open(command)
        let header = [inner.cla, inner.ins, inner.p1, inner.p2]
        #expect(header.hex == exchange.inner_header.text, "\(exchange.id.text ?? "")")
        #expect([UInt8](copying: inner.data).hex == exchange.inner_data.text)
        #expect(inner.ne == exchange.inner_ne.number)
        let status = exchange.inner_sw.bytes
        let response = Response(StatusWord(status[0], status[1]), data: exchange.inner_response_data.bytes)
        let sealed = try protection.seal(response, isPadded: exchange.pi_response.number == 1)
        #expect(sealed.hex + "9000" == exchange.response.text, "\(exchange.id.text ?? "")")
    }

    @Test(
        "A renewal answers byte for byte, and the session goes on under the new keys",
        arguments: ChannelProfile.allCases)
    func renewal(profile: ChannelProfile) throws {
        let token = try VectorToken(Vectors(set: "B", profile: profile))
        token.pair()
        try token.open()
        let host = try token.host
        host.instance = token.vector.open.INST.bytes
        host.channel = UInt8(token.vector.open.channel.number ?? 0)
        host.begin(.init(hostMAC: [], seed: token.vector.open.S_0.bytes, exporter: token.vector.open.K_exp.bytes))
        for _ in 1...257 { #expect(host.send("0084000001").hasSuffix("9000")) }
        token.prepare(token.vector.renew)
        for exchange in token.vector.renew.exchanges_under_old_keys.list {
            #expect(token.card.process(exchange.command.bytes).hex == exchange.response.text)
        }
        token.random.prepare([UInt8](0..<8))
        for exchange in token.vector.renew.exchanges.list {
            #expect(token.card.process(exchange.command.bytes).hex == exchange.response.text)
        }
        #expect(host.card.process(token.vector.renew.exchanges[1].command.bytes).hex == "6985", "CLOSE was last")
    }

    @Test("Every malformed command of the list is refused as the list says", arguments: Vectors.all)
    func errors(vectors: Vectors) throws {
        let entries = try JSON(vectors: "gsc1.json").errors.list.filter {
            $0.set.text == vectors.set && $0.profile.text == vectors.profile.name && $0.direction.text == "command"
        }
        #expect(entries.count == 9)
        for entry in entries {
            let token = try VectorToken(vectors)
            token.pair()
            try token.open()
            for exchange in token.vector.exchanges.list.prefix(2) {
                #expect(token.card.process(exchange.command.bytes).hex.hasSuffix("9000"))
            }
            let what = entry.what.text ?? ""
            let expected = entry.expect.text ?? ""
            #expect(token.card.process(entry.apdu.bytes).hex == expected.prefix(4), "\(what)")
            let after = token.card.process(token.vector.exchanges[2].command.bytes).hex
            #expect(after.hasSuffix(expected.contains("erased") ? "6985" : "9000"), "\(what)")
        }
    }

    @Test("N13, N14: the corner cases of pairing end as the list says")
    func corners() throws {
        for corner in try JSON(vectors: "gsc1.json").pairing_corner_cases.list {
            let token = try VectorToken(Vectors(set: corner.set.text ?? "", profile: .modern))
            let host = try token.host
            token.random.prepare(corner.beta.bytes)
            let answer = token.card.send(corner.pair1_command.text ?? "")
            guard let response = corner.pair1_response.text else {
                #expect(answer == "6a80" && token.card.tries(1) == [1, 5, 10, 1000], "\(corner.what.text ?? "")")
                continue
            }
            #expect(answer == response)
            let body = [UInt8](hex: corner.pair1_command.text ?? "")
            let shares = body[22..<86] + [UInt8](hex: data(response))[4...]
            let parts: [[UInt8]] = [
                [1], host.identity, [1], token.set.salt.bytes, [UInt8](shares), Modern.algorithm, host.hostData,
            ]
            let mac = ChannelProfile.modern.authenticate(corner.K_B.bytes, parts.flatMap { $0 })
            let right = TestObjects.object(0x84, host.hostData) + TestObjects.object(0x85, mac)
            #expect(token.card.send(host.command("02", right)) == "63c4", "although the code is right")
            #expect(token.card.tries(1) == [1, 4, 9, 999])
        }
    }

    @Test("RFC 8133, A.2.1: the token's part of SESPAKE gives the published values")
    func sespake() throws {
        let vector = try JSON(vectors: "sespake.json").vectors[0]
        func point(_ value: JSON) -> [UInt8] {
            let x: [UInt8] = value.x.bytes.reversed()
            return x + value.y.bytes.reversed()
        }
        let terms = PairingTerms(
            slot: 1, hostIdentity: vector.id_a.bytes, tokenIdentity: vector.id_b.bytes, salt: vector.salt.bytes,
            hostShare: point(vector.u1), verifier: SharedSecret(copying: point(vector.Q_PW)))
        let random = PreparedRandom(vector.beta.bytes.reversed())
        let run = try ModernPairing(terms, algorithm: [], random: random)
        #expect(run.share == point(vector.u2))
        #expect(run.isValid(vector.mac_a.bytes, of: []))
        #expect(!run.isValid(vector.mac_b.bytes, of: []))
        #expect(try run.seal([], to: []).mac == vector.mac_b.bytes)
    }
}
