// SPDX-License-Identifier: Apache-2.0
import Emulator
import GOST
import Secrets
import TestSupport
import Testing

/// Bluetooth tokens with known secrets. The verifiers are given, so that no test waits for PBKDF2.
struct TokenSetup {
    /// K_F and Q_PW of slots 1 and 2.
    static let verifiers: [ChannelProfile: [UInt8]] = [
        .classic: [UInt8](repeating: 0x5A, count: 32), .modern: point([UInt8](repeating: 0x5A, count: 32)),
    ]
    /// Those of another password.
    static let wrongVerifiers: [ChannelProfile: [UInt8]] = [
        .classic: [UInt8](repeating: 1, count: 32), .modern: point([UInt8](repeating: 1, count: 32)),
    ]

    var identity = Identity.bt
    var serial: [UInt8] = [0, 0, 0, 0, 0x0E, 0, 0, 1]
    var random = PreparedRandom()
    var memory: any CardMemory = VolatileMemory()
    var slots: [Int: ActivationSlot] = [1: slot(1), 2: slot(2)]
    var records: [PairingRecord?] = []
    var pause: @Sendable (Int) -> Void = { _ in }
    /// The private keys by profile; random for the others.
    var scalars: [ChannelProfile: [UInt8]] = [:]

    /// One session (N = 1), or several.
    init(sessions: Int = 1) {
        identity.channel?.sessions = sessions
        identity.channel?.features = sessions == 1 ? nil : ChannelOffer.batch
    }

    static func slot(_ salt: UInt8) -> ActivationSlot {
        ActivationSlot(
            salt: [UInt8](repeating: salt, count: 16), verifiers: verifiers.mapValues { SharedSecret(copying: $0) })
    }

    private static func point(_ f: [UInt8]) -> [UInt8] {
        guard let verifier = try? SESPAKE.Verifier(curve: ChannelProfile.modern.curve, f: f.span) else { return [] }
        return [UInt8](copying: verifier.point)
    }

    /// Stores the state and makes the token.
    func card() throws -> EmulatedCard {
        try memory.save(state().encoded())
        return try EmulatedCard(identity, memory: memory, random: random, pause: pause)
    }

    func state() throws -> CardState {
        var state = CardState.factory(
            identity: "bt", serial: serial, label: [UInt8]("token".utf8), nonce: [UInt8](repeating: 0, count: 16))
        var keys: [ChannelProfile: ChannelKey] = [:]
        for profile in identity.channel?.profiles ?? [] {
            let scalar = try scalars[profile] ?? SystemRandom().bytes(31) + [1]
            let key = try PrivateKey(curve: profile.curve, scalar: Secret(copying: scalar))
            keys[profile] = ChannelKey(scalar: SharedSecret(copying: scalar), publicKey: try key.publicKey().bytes)
        }
        var channel = ChannelState(keys: keys, records: identity.channel?.records ?? 0)
        for (number, slot) in slots { channel.slots[number - 1] = slot }
        for (index, record) in records.enumerated() { channel.records[index] = record }
        state.channel = channel
        return state
    }
}

extension EmulatedCard {
    /// C1, C2 and C3 of a slot as E3 gives them, after its state.
    func tries(_ slot: Int) -> [Int] {
        let answer = [UInt8](hex: data(send("80CA470\(slot)00")))
        return [Int(answer[7]), Int(answer[34]), Int(answer[37]), Int(answer[40]) << 8 | Int(answer[41])]
    }

    /// A host that paired and opened a session.
    func connectedHost(_ profile: ChannelProfile) throws -> ChannelHost {
        let host = try ChannelHost(self, profile)
        guard try host.pair() == "9000", try host.open() == "9000" else { throw EmulatorError.cryptography }
        return host
    }
}

/// A profile and a number of sessions.
struct Variant: CustomTestStringConvertible {
    let profile: ChannelProfile
    let sessions: Int

    var testDescription: String { "\(profile), N = \(sessions)" }

    static let all = ChannelProfile.allCases.flatMap { profile in
        [1, 4].map { Variant(profile: profile, sessions: $0) }
    }
}
