import APDU
import Emulator
import GOST
import Secrets
import TestSupport

/// A host of GSC/1, classic profile, written for the tests from the specification: it does what it is told, right or
/// wrong.
final class ChannelHost {
    let card: EmulatedCard
    let scalar: [UInt8]
    let publicKey: [UInt8]
    /// K_F and the slot of the activation password.
    var verifier: [UInt8]
    var slot = 1
    /// T_pub, known after pairing.
    var tokenKey: [UInt8] = []
    /// What the host believes E1 to be.
    var capabilities: [UInt8] = []
    var recordIndex = 0
    var label = "test host"

    /// INST; empty with one session.
    var instance: [UInt8] = []
    var channel: UInt8 = 0
    var number = 0
    private var seed: [UInt8] = []
    private(set) var exporter: [UInt8] = []
    private var keys: [[UInt8]] = []

    init(_ card: EmulatedCard, scalar: [UInt8]? = nil, verifier: [UInt8] = TokenSetup.verifier) throws {
        self.card = card
        self.verifier = verifier
        let bytes = try scalar ?? SystemRandom().bytes(31) + [1]
        self.scalar = bytes
        publicKey = try PrivateKey(curve: .cryptoProA, scalar: Secret(copying: bytes)).publicKey().bytes
        let answer = [UInt8](hex: data(card.send("80CA470000")))
        capabilities = Array(answer.prefix(2 + Int(answer[1])))
    }

    /// ID_H.
    var identity: [UInt8] { Array(Classic.hash(publicKey).prefix(8)) }

    // MARK: Pairing

    /// What PAIR-1 left behind.
    struct Run {
        let transcript: [UInt8]
        let keys: [[UInt8]]
    }

    func firstPairing(_ challenge: [UInt8]? = nil) throws -> String {
        "8086010121 7c1f 8001" + [UInt8(slot)].hex + "8108" + identity.hex + "8210"
            + (try challenge ?? SystemRandom().bytes(16)).hex + "00"
    }

    /// PAIR-1 and the keys that follow from its answer; nil with the status word if it is refused.
    func beginPairing() throws -> (run: Run?, status: String) {
        let challenge = try SystemRandom().bytes(16)
        let slotData = [UInt8](hex: data(card.send("80CA470\(slot)00")))
        let salt = Array(slotData[13..<29])
        let answer = card.send(try firstPairing(challenge))
        guard status(answer) == "9000" else { return (nil, answer) }
        let tokenChallenge = Array([UInt8](hex: data(answer)).dropFirst(4))
        let serial = card.serial
        let transcript =
            [UInt8]("GSC/1".utf8) + [1, UInt8(slot)] + identity + serial + salt + challenge + tokenChallenge
        let expanded = Classic.expand(verifier, "GSC1 pair", Classic.hash(transcript), 128)
        return (Run(transcript: transcript, keys: expanded.split(32)), "9000")
    }

    /// DATA_A as it should be.
    var hostData: [UInt8] {
        [0x80, 5] + "GSC/1".utf8 + [0x81, 1, 1, 0x82, 64] + publicKey + [0x83, 32] + Classic.hash(capabilities)
            + [0x84, UInt8(label.utf8.count)] + label.utf8
    }

    func secondPairing(_ run: Run, data: [UInt8]? = nil) -> String {
        let cryptogram = Classic.apply(run.keys[0], [UInt8](repeating: 0, count: 8), data ?? hostData)
        let mac = Classic.authenticate(run.keys[1], [1] + run.transcript + cryptogram)
        let body = [0x86] + TestObjects.length(cryptogram.count) + cryptogram + [0x85, 32] + mac
        let template = [0x7C] + TestObjects.length(body.count) + body
        return "80860201" + [UInt8(template.count)].hex + template.hex + "00"
    }

    /// The whole pairing. The answer is the status word of the command that decided.
    @discardableResult
    func pair(data: [UInt8]? = nil) throws -> String {
        let (run, status) = try beginPairing()
        guard let run else { return status }
        return finishPairing(run, card.send(secondPairing(run, data: data)))
    }

    /// Takes the token's answer to PAIR-2 in, if it is one that proves itself.
    func finishPairing(_ run: Run, _ answer: String) -> String {
        guard String(answer.suffix(4)) == "9000" else { return answer }
        let bytes = [UInt8](hex: answer)
        let cryptogram = Array(bytes[4..<83])
        let sent = Classic.apply(run.keys[0], [UInt8](repeating: 0, count: 8), hostData)
        let mac = Classic.authenticate(run.keys[3], [2] + run.transcript + sent + cryptogram)
        guard Array(bytes[85..<117]) == mac else { return "MAC_B" }
        let plain = Classic.apply(run.keys[2], [UInt8](repeating: 0, count: 8), cryptogram)
        tokenKey = Array(plain[12..<76])
        recordIndex = Int(plain[78])
        return "9000"
    }

    // MARK: Opening

    struct Opening {
        let hostMAC: [UInt8]
        let seed: [UInt8]
        let exporter: [UInt8]
    }

    func firstOpening(_ contribution: [UInt8], instance: [UInt8]) -> String {
        let body = "8108" + identity.hex + "8210" + contribution.hex + (instance.isEmpty ? "" : "8308" + instance.hex)
        let count = UInt8([UInt8](hex: body).count)
        return "80860301" + [count + 2].hex + "7c" + [count].hex + body + "00"
    }

    /// OPEN-1 in plain.
    func beginOpening() throws -> (opening: Opening?, status: String) {
        let contribution = try SystemRandom().bytes(16)
        let answer = card.send(firstOpening(contribution, instance: instance))
        guard status(answer) == "9000" else { return (nil, answer) }
        let binding = instance + [UInt8](repeating: 0, count: 32 - instance.count)
        return (derive([UInt8](hex: data(answer)), contribution, binding), "9000")
    }

    /// Everything that follows from the token's answer to OPEN-1; nil if MAC_T is wrong.
    func derive(_ answer: [UInt8], _ contribution: [UInt8], _ binding: [UInt8]) -> Opening? {
        let tokenContribution = Array(answer[4..<20])
        let transcript = Classic.hash(
            [UInt8]("GSC1 open".utf8) + [1] + Classic.hash(capabilities) + card.serial + identity + tokenKey + publicKey
                + contribution + tokenContribution + binding)
        guard let key = try? PrivateKey(curve: .cryptoProA, scalar: Secret(copying: scalar)),
            let peer = try? PublicKey(curve: .cryptoProA, bytes: tokenKey),
            let shared = try? key.vko2001(with: peer, ukm: Array(transcript.prefix(8)).span)
        else { return nil }
        let extracted = Classic.authenticate(transcript, shared.bytes.indices.map { shared.bytes[$0] })
        let parts = Classic.expand(extracted, "GSC1 keys", transcript, 96).split(32)
        let tokenMAC = Classic.authenticate(parts[0], [2] + transcript).prefix(16)
        guard Array(answer[22..<38]) == Array(tokenMAC) else { return nil }
        return Opening(
            hostMAC: Array(Classic.authenticate(parts[0], [1] + transcript).prefix(16)), seed: parts[1],
            exporter: parts[2])
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
        guard String(answer.suffix(4)) == "9000" else { return answer }
        if !instance.isEmpty { channel = [UInt8](hex: answer)[4] }
        begin(opening)
        return "9000"
    }

    func begin(_ opening: Opening) {
        seed = opening.seed
        exporter = opening.exporter
        number = 0
        keys = []
    }

    // MARK: Messages

    /// Puts a command, given in hexadecimal, under protection.
    func protect(_ command: String, padded: Bool? = nil) -> [UInt8] {
        let bytes = [UInt8](hex: command)
        let header = [bytes[0] | 0x0C | channel] + bytes[1..<4]
        var data: [UInt8] = []
        var expected: [UInt8] = []
        switch bytes.count {
        case 4: break
        case 5: expected = [bytes[4]]
        default:
            data = Array(bytes.dropFirst(5).prefix(Int(bytes[4])))
            expected = Array(bytes.dropFirst(5 + data.count))
        }
        let isPadded = padded ?? [0x20, 0x24, 0x2C].contains(bytes[1])
        return protect(header: header, data: data, expected: expected, padding: isPadded ? 1 : 2)
    }

    func protect(
        header: [UInt8], data: [UInt8], expected: [UInt8], padding: UInt8, mark: [UInt8] = [0x80], block: Int = 32
    ) -> [UInt8] {
        step()
        var plain = data
        if padding == 1, !data.isEmpty {
            plain += mark
            while !plain.count.isMultiple(of: block) { plain.append(0) }
        }
        let ciphertext = Classic.apply(keys[0], counter, plain)
        let head = plain.isEmpty ? [] : [0x87] + TestObjects.length(plain.count + 1) + [padding]
        let length = expected.isEmpty ? [] : [0x97, UInt8(expected.count)] + expected
        let associated = Array(counter.suffix(4)) + header + head + length
        let tag = Classic.authenticate(keys[1], [UInt8(associated.count)] + associated + ciphertext).prefix(8)
        let body = head + ciphertext + length + [0x8E, 8] + tag
        return header + [UInt8(body.count)] + body + [0]
    }

    /// Verifies a reply and gives it in hexadecimal; nil if it does not prove itself.
    func open(_ reply: [UInt8]) -> String? {
        guard reply.suffix(2) == [0x90, 0x00], reply.count >= 16 else { return nil }
        let body = Array(reply.dropLast(2))
        let status = Array(body.dropLast(10).suffix(4))
        var head: [UInt8] = []
        var ciphertext: [UInt8] = []
        if body[0] == 0x87 {
            head = Array(body.prefix(body[1] < 0x80 ? 3 : Int(body[1]) - 0x80 + 3))
            ciphertext = Array(body.dropFirst(head.count).dropLast(14))
        }
        let associated = Array(counter.suffix(4)) + head + status
        let tag = Classic.authenticate(keys[3], [UInt8(associated.count)] + associated + ciphertext).prefix(8)
        guard Array(body.suffix(8)) == Array(tag), status.starts(with: [0x99, 2]) else { return nil }
        return Classic.apply(keys[2], counter, ciphertext).hex + Array(status.suffix(2)).hex
    }

    /// Sends a command under protection. A bare status word comes with "bare " before it.
    @discardableResult
    func send(_ command: String, padded: Bool? = nil) -> String {
        let reply = card.process(protect(command, padded: padded))
        return open(reply) ?? "bare " + reply.hex
    }

    /// Opens a new session over this one, inside it.
    func renew() throws -> String {
        let contribution = try SystemRandom().bytes(16)
        let answer = send(firstOpening(contribution, instance: []))
        guard status(answer) == "9000" else { return answer }
        guard let opening = derive([UInt8](hex: data(answer)), contribution, exporter) else { return "MAC_T" }
        let reply = send("80860400147c128510" + opening.hostMAC.hex + (instance.isEmpty ? "" : "00"))
        if status(reply) == "9000" { begin(opening) }
        return reply
    }

    private var counter: [UInt8] { [0, 0, 0, 0] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }

    /// Counts one command more, and takes the next epoch's keys when it is time.
    private func step() {
        if number.isMultiple(of: 256) {
            let epoch = number / 256
            let label = (0..<4).map { UInt8(truncatingIfNeeded: epoch >> (24 - 8 * $0)) }
            let parts = Classic.expand(seed, "GSC1 epoch", label, 160).split(32)
            keys = Array(parts.prefix(4))
            seed = parts[4]
        }
        number += 1
    }
}

/// The primitives of the classic profile for arrays.
enum Classic {
    static func hash(_ bytes: [UInt8]) -> [UInt8] { GOSTR341194.hash(bytes) }

    static func authenticate(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        let mac = HMAC<GOSTR341194>.authenticate(message.span, key: key.span)
        return mac.bytes.indices.map { mac.bytes[$0] }
    }

    static func expand(_ key: [UInt8], _ label: String, _ seed: [UInt8], _ count: Int) -> [UInt8] {
        var output: [UInt8] = []
        var index: UInt8 = 1
        let bits = count * 8
        let length: [UInt8] = bits < 256 ? [UInt8(bits)] : [UInt8(bits >> 8), UInt8(bits & 0xFF)]
        while output.count < count {
            output += authenticate(key, [index] + Array(label.utf8) + [0] + seed + length)
            index += 1
        }
        return Array(output.prefix(count))
    }

    static func apply(_ key: [UInt8], _ iv: [UInt8], _ data: [UInt8]) -> [UInt8] {
        guard var cipher = try? GOST28147CNT(key: key.span, iv: iv.span, sBox: .cryptoProA, meshing: false) else {
            return []
        }
        let result = cipher.apply(data.span)
        return result.bytes.indices.map { result.bytes[$0] }
    }
}

enum TestObjects {
    static func length(_ count: Int) -> [UInt8] {
        count < 128
            ? [UInt8(count)] : count < 256 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
    }
}

extension [UInt8] {
    func split(_ size: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<$0 + size]) }
    }
}
