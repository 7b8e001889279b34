// SPDX-License-Identifier: Apache-2.0
import APDU
import Emulator
import GOST
import Secrets
import TestSupport

/// A host of GSC/1, written for the tests from the specification: it follows a test's orders, right or wrong.
final class ChannelHost {
    let card: EmulatedCard
    let profile: ChannelProfile
    let scalar: [UInt8]
    let publicKey: [UInt8]
    /// K_F or Q_PW, and the slot of the activation password.
    var verifier: [UInt8]
    var slot = 1
    /// T_pub, known after pairing.
    var tokenKey: [UInt8] = []
    /// E1 as the host believes it to be.
    var capabilities: [UInt8] = []
    var recordIndex = 0
    var label = "test host"

    /// INST; empty with one session.
    var instance: [UInt8]
    var channel: UInt8 = 0
    var number = 0
    var seed: [UInt8] = []
    var exporter: [UInt8] = []
    var keys: [[UInt8]] = []
    /// The epoch of the keys; -1 before the first.
    var epoch = -1

    init(
        _ card: EmulatedCard, _ profile: ChannelProfile, scalar: [UInt8]? = nil, verifier: [UInt8]? = nil
    ) throws {
        self.card = card
        self.profile = profile
        self.verifier = verifier ?? TokenSetup.verifiers[profile] ?? []
        let bytes = try scalar ?? SystemRandom().bytes(31) + [1]
        self.scalar = bytes
        publicKey = try PrivateKey(curve: profile.curve, scalar: Secret(copying: bytes)).publicKey().bytes
        let answer = [UInt8](hex: data(card.send("80CA470000")))
        capabilities = Array(answer.prefix(2 + Int(answer[1])))
        instance = card.sessionCount > 1 ? try SystemRandom().bytes(8) : []
    }

    /// PID in hexadecimal.
    var pid: String { [profile.rawValue].hex }

    /// ID_H.
    var identity: [UInt8] { Array(profile.hash(publicKey).prefix(8)) }

    /// A command of the host's profile with one template and Le.
    func command(_ p1: String, _ body: [UInt8]) -> String {
        let template = TestObjects.object(0x7C, body)
        return "8086" + p1 + pid + [UInt8(template.count)].hex + template.hex + "00"
    }
}

extension EmulatedCard {
    /// N as E1 gives it.
    var sessionCount: Int { [UInt8](hex: send("80CA470000"))[41...].first.map { Int($0) } ?? 0 }
}
