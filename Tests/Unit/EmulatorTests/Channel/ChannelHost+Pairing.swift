// SPDX-License-Identifier: Apache-2.0
import Emulator
import GOST
import Secrets
import TestSupport

/// Pairing (GSC/1, 8).
extension ChannelHost {
    /// The state after PAIR-1.
    final class Run {
        private enum Keys {
            /// KeA, KmA, KeB, KmB after TP.
            case classic([[UInt8]], [UInt8])
            case modern(Box, SESPAKE.Transcript)
        }

        private final class Box {
            let key: SESPAKE.Key

            init(_ key: consuming SESPAKE.Key) { self.key = key }
        }

        private let keys: Keys

        init(classic keys: [[UInt8]], transcript: [UInt8]) { self.keys = .classic(keys, transcript) }

        init(modern key: consuming SESPAKE.Key, transcript: SESPAKE.Transcript) {
            keys = .modern(Box(key), transcript)
        }

        /// The host's data as they are sent, and MAC_A.
        func seal(_ data: [UInt8]) -> [UInt8] {
            switch keys {
            case .classic(let keys, let transcript):
                let cryptogram = Classic.apply(keys[0], [UInt8](repeating: 0, count: 8), data)
                let mac = ChannelProfile.classic.authenticate(keys[1], [1] + transcript + cryptogram)
                return TestObjects.object(0x86, cryptogram) + TestObjects.object(0x85, mac)
            case .modern(let box, let transcript):
                let mac = [UInt8](copying: box.key.code(for: transcript.messageA(data: data)))
                return TestObjects.object(0x84, data) + TestObjects.object(0x85, mac)
            }
        }

        /// DATA_B, if MAC_B is right.
        func open(_ answer: [UInt8], sent: [UInt8]) -> [UInt8]? {
            let data = Array(answer[4..<83])
            let mac = Array(answer[85..<117])
            switch keys {
            case .classic(let keys, let transcript):
                let cryptogram = Classic.apply(keys[0], [UInt8](repeating: 0, count: 8), sent)
                let expected = ChannelProfile.classic.authenticate(keys[3], [2] + transcript + cryptogram + data)
                return mac == expected ? Classic.apply(keys[2], [UInt8](repeating: 0, count: 8), data) : nil
            case .modern(let box, let transcript):
                return box.key.isValid(mac.span, for: transcript.messageB(dataA: sent, dataB: data)) ? data : nil
            }
        }
    }

    /// PAIR-1 with this R_H or u1.
    func firstPairing(_ share: [UInt8]) -> String {
        command(
            "01",
            TestObjects.object(0x80, [UInt8(slot)]) + TestObjects.object(0x81, identity)
                + TestObjects.object(0x82, share))
    }

    /// Any valid R_H or u1.
    func anyShare() throws -> [UInt8] { try contribution().bytes }

    /// PAIR-1 and the state after its answer; nil with the status word if it is refused.
    func beginPairing() throws -> (run: Run?, status: String) {
        let salt = Array([UInt8](hex: data(card.send("80CA470\(slot)00")))[13..<29])
        guard profile == .modern else { return try beginClassicPairing(salt) }
        let verifier = try SESPAKE.Verifier(curve: profile.curve, point: Secret(copying: verifier))
        let exchange = try SESPAKE.Exchange(as: .a, verifier: verifier, random: SystemRandom())
        let u1 = exchange.share
        let answer = card.send(firstPairing(u1))
        guard status(answer) == "9000" else { return (nil, answer) }
        let u2 = Array([UInt8](hex: data(answer)).dropFirst(4))
        let transcript = SESPAKE.Transcript(
            identifierA: identity, identifierB: card.serial, salt: salt, u1: u1, u2: u2, algorithm: Modern.algorithm)
        let key = try exchange.key(with: u2)
        return (Run(modern: key, transcript: transcript), "9000")
    }

    private func beginClassicPairing(_ salt: [UInt8]) throws -> (run: Run?, status: String) {
        let challenge = try anyShare()
        let answer = card.send(firstPairing(challenge))
        guard status(answer) == "9000" else { return (nil, answer) }
        let tokenChallenge = Array([UInt8](hex: data(answer)).dropFirst(4))
        let parts: [[UInt8]] = [
            [UInt8]("GSC/1".utf8), [1, UInt8(slot)], identity, card.serial, salt, challenge, tokenChallenge,
        ]
        let transcript = parts.flatMap { $0 }
        let expanded = profile.expand(verifier, "GSC1 pair", profile.hash(transcript), 128)
        return (Run(classic: expanded.split(32), transcript: transcript), "9000")
    }

    /// DATA_A as it should be.
    var hostData: [UInt8] {
        let objects: [(tag: UInt8, value: [UInt8])] = [
            (0x80, [UInt8]("GSC/1".utf8)), (0x81, [profile.rawValue]), (0x82, publicKey),
            (0x83, profile.hash(capabilities)), (0x84, [UInt8](label.utf8)),
        ]
        return objects.flatMap { TestObjects.object($0.tag, $0.value) }
    }

    func secondPairing(_ run: Run, data: [UInt8]? = nil) -> String { command("02", run.seal(data ?? hostData)) }

    /// The whole pairing. The answer is the status word of the command that decided.
    @discardableResult
    func pair(data: [UInt8]? = nil) throws -> String {
        let (run, status) = try beginPairing()
        guard let run else { return status }
        return finishPairing(run, card.send(secondPairing(run, data: data)))
    }

    /// Takes the token's answer to PAIR-2 in, if it is one that proves itself.
    func finishPairing(_ run: Run, _ answer: String) -> String {
        guard status(answer) == "9000" else { return answer }
        guard let plain = run.open([UInt8](hex: data(answer)), sent: hostData) else { return "MAC_B" }
        tokenKey = Array(plain[12..<76])
        recordIndex = Int(plain[78])
        return "9000"
    }
}
