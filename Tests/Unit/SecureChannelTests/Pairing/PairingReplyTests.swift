// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import Locking
import Secrets
import SecureChannel
import TestSupport
import Testing

@Suite("Replies in a pairing that cannot be trusted (GSC/1, 8)")
struct PairingReplyTests {
    @Test(
        "A malformed E3 ends the pairing before PAIR-1",
        arguments: [
            ("800101", "800102"), ("810101", "810105"), ("840101", "840102"), ("850105", ""), ("870203e8", "870103"),
            ("83105", "83115"), ("e3", "e2"),
        ])
    func malformedSlot(_ bytes: String, _ others: String) throws {
        let scene = try PairingScene(.modern)
        let reply = scene.host.slotInformation
        try #require(reply.contains(bytes))
        scene.card.expect("80ca470100", reply: reply.replacing(bytes, with: others))
        try scene.expectFailure(.malformedResponse)
    }

    @Test("R_T = R_H, or u2 = u1, is a reflection", arguments: Profile.allCases)
    func reflectedValue(_ profile: Profile) throws {
        let scene = try PairingScene(profile)
        let pairing = scene.host.vectors.pairing
        let own = profile == .classic ? pairing.R_H.bytes : pairing.u1.bytes
        try scene.expectPairing(first: [UInt8].object(0x7C, .object(0x82, own)).hex + "9000")
        try scene.expectFailure(.reflection)
    }

    @Test("N15: a changed reply to PAIR-2 is refused, whichever bit it is", arguments: Profile.allCases)
    func changedReply(_ profile: Profile) throws {
        let scene = try PairingScene(profile)
        let reply = scene.host.vectors.pairing.pair2_response.bytes
        // One bit of some bytes of the data and all of MAC_B; the heads are covered by the malformed replies.
        for index in Array(4..<83) + Array(85..<117) where index % 16 == 0 || index > 110 {
            var changed = reply
            changed[index] ^= 1 << UInt8(index % 8)
            try scene.expectPairing(second: changed.hex)
            try scene.expectFailure(.authenticationFailed)
        }
    }

    @Test(
        "N15: a u2 that is not a point of the curve, or not reduced, ends the pairing before PAIR-2",
        arguments: [
            [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64), [UInt8](repeating: 0x5A, count: 64),
        ])
    func noPoint(_ point: [UInt8]) throws {
        let scene = try PairingScene(.modern)
        try scene.expectPairing(first: [UInt8].object(0x7C, .object(0x82, point)).hex + "9000")
        try scene.expectFailure(.malformedResponse)
    }

    @Test("N15: a changed but valid u2 makes MAC_B wrong")
    func otherPoint() throws {
        let scene = try PairingScene(.modern)
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
        let scene = try PairingScene(.modern)
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
        let scene = try PairingScene(profile)
        let pairing = scene.host.vectors.pairing
        let data: [UInt8] =
            profile == .classic ? .object(0x86, pairing.E_A.bytes) : .object(0x84, pairing.DATA_A.bytes)
        try scene.expectPairing(second: [UInt8].object(0x7C, data + .object(0x85, pairing.MAC_A.bytes)).hex + "9000")
        try scene.expectFailure(.authenticationFailed)
    }

    @Test("An answer to PAIR-2 after more than 10 s is not read, and nothing is stored (15.2 e)", arguments: [10, 11])
    func timeout(_ seconds: Int) throws {
        let scene = try PairingScene(.modern)
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
        let scene = try PairingScene(profile)
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
        let sealed = try CipherMessage.encrypt(
            data.span, .gost28147(.cryptoProA), .cnt, key: key.span, iv: zero.span)
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
        let scene = try PairingScene(.classic)
        try scene.expectPairing(first: reply)
        try scene.expectFailure(.malformedResponse)
    }
}
