// SPDX-License-Identifier: Apache-2.0
import Emulator
import GOST
import Secrets
import TestSupport

/// Opening and renewing sessions (GSC/1, 10).
extension ChannelHost {
    struct Opening {
        var hostMAC: [UInt8]
        let seed: [UInt8]
        let exporter: [UInt8]
    }

    /// C_H and, in the modern profile, e_H.
    struct Contribution {
        let bytes: [UInt8]
        let scalar: [UInt8]
    }

    func contribution() throws -> Contribution {
        let random = try SystemRandom().bytes(32)
        guard profile == .modern else { return Contribution(bytes: Array(random.prefix(16)), scalar: []) }
        let scalar = Array(random.dropLast()) + [1]
        let key = try PrivateKey(curve: profile.curve, scalar: Secret(copying: scalar))
        return Contribution(bytes: try key.publicKey().bytes, scalar: scalar)
    }

    func firstOpening(_ contribution: [UInt8], instance: [UInt8]) -> String {
        command(
            "03",
            TestObjects.object(0x81, identity) + TestObjects.object(0x82, contribution)
                + (instance.isEmpty ? [] : TestObjects.object(0x83, instance)))
    }

    /// OPEN-1 in plain.
    func beginOpening() throws -> (opening: Opening?, status: String) {
        let contribution = try contribution()
        let answer = card.send(firstOpening(contribution.bytes, instance: instance))
        guard status(answer) == "9000" else { return (nil, answer) }
        return (derive([UInt8](hex: data(answer)), contribution, instance.padded(to: 32)), "9000")
    }

    /// Everything that follows from the token's answer to OPEN-1; nil if MAC_T is wrong.
    func derive(_ answer: [UInt8], _ contribution: Contribution, _ binding: [UInt8]) -> Opening? {
        let count = contribution.bytes.count
        let tokenContribution = Array(answer[4..<4 + count])
        let names = [profile.rawValue] + profile.hash(capabilities) + card.serial + identity
        let transcript = profile.hash(
            [UInt8]("GSC1 open".utf8) + names + tokenKey + publicKey + contribution.bytes + tokenContribution + binding)
        guard let shared = try? agree(contribution, tokenContribution, transcript) else { return nil }
        let extracted = profile.authenticate(transcript, shared)
        let parts = profile.expand(extracted, "GSC1 keys", transcript, 96).split(32)
        let tokenMAC = profile.authenticate(parts[0], [2] + transcript).prefix(16)
        guard Array(answer[(6 + count)...].prefix(16)) == Array(tokenMAC) else { return nil }
        return Opening(
            hostMAC: Array(profile.authenticate(parts[0], [1] + transcript).prefix(16)), seed: parts[1],
            exporter: parts[2])
    }

    /// Z.
    private func agree(_ own: Contribution, _ token: [UInt8], _ transcript: [UInt8]) throws -> [UInt8] {
        let key = try PrivateKey(curve: profile.curve, scalar: Secret(copying: scalar))
        let peer = try PublicKey(curve: profile.curve, bytes: tokenKey)
        guard profile == .modern else {
            return [UInt8](copying: try key.vko2001(with: peer, ukm: Array(transcript.prefix(8)).span))
        }
        let ukm = Array(transcript.prefix(16))
        let ephemeral = try PrivateKey(curve: profile.curve, scalar: Secret(copying: own.scalar))
        let other = try PublicKey(curve: profile.curve, bytes: token)
        let ee = [UInt8](copying: try ephemeral.vko2012256(with: other, ukm: ukm.span))
        let es = [UInt8](copying: try ephemeral.vko2012256(with: peer, ukm: ukm.span))
        let se = [UInt8](copying: try key.vko2012256(with: other, ukm: ukm.span))
        return ee + es + se
    }

    func secondOpening(_ opening: Opening) -> String {
        "80860400147c128510" + opening.hostMAC.hex + (instance.isEmpty ? "" : "00")
    }

    /// The whole opening. The answer is the status word of the command that decided.
    @discardableResult
    func open() throws -> String {
        let (opening, status) = try beginOpening()
        guard let opening else { return status == "9000" ? "MAC_T" : status }
        let answer = card.send(secondOpening(opening))
        guard EmulatorTests.status(answer) == "9000" else { return answer }
        if !instance.isEmpty { channel = [UInt8](hex: answer)[4] }
        begin(opening)
        return "9000"
    }

    func begin(_ opening: Opening) {
        seed = opening.seed
        exporter = opening.exporter
        number = 0
        keys = []
        epoch = -1
    }

    /// Opens a new session over this one, inside it.
    func renew() throws -> String {
        let contribution = try contribution()
        let answer = send(firstOpening(contribution.bytes, instance: []))
        guard status(answer) == "9000" else { return answer }
        guard let opening = derive([UInt8](hex: data(answer)), contribution, exporter) else { return "MAC_T" }
        let reply = send(secondOpening(opening))
        if status(reply) == "9000" { begin(opening) }
        return status(reply)
    }
}
