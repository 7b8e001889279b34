// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import Secrets
@testable import Emulator
@testable import TokenEnd

/// The token's state machine: commands in plain and inside an open session, resets, and failing writes to the memory,
/// as the input selects. Every command is answered within its limits, and stored data survive a round trip.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzToken(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    var cursor = ByteCursor(input)
    guard let first = try? cursor.byte(), let token = FuzzedToken(first) else { return 0 }
    while let operation = try? cursor.byte(), let length = try? cursor.byte() {
        let data = (try? cursor.bytes(Int(length))) ?? cursor.rest()
        token.run(operation, data)
    }
    token.check()
    return 0
}

private func expect(_ isTrue: Bool, _ what: String) {
    guard isTrue else { fatalError(what) }
}

/// A token with one host, one session and one activation password.
private final class FuzzedToken {
    private static let scalar = [UInt8](repeating: 3, count: 32)
    private static let publicKeys = ChannelProfile.allCases.reduce(into: [ChannelProfile: [UInt8]]()) { keys, profile in
        let key = try? PrivateKey(curve: profile.suite.curve, scalar: Secret(copying: scalar))
        keys[profile] = try? key?.publicKey().bytes
    }

    private let profile: ChannelProfile
    private let memory = FallibleMemory(VolatileMemory())
    private let card: Card
    private let interface: CardInterface

    /// - Parameter choice: Profile, sessions, policy and sizes.
    init?(_ choice: UInt8) {
        profile = choice & 1 == 0 ? .modern : .classic
        var identity = Identity.bt
        identity.channel?.sessions = Int(choice >> 1 & 3) + 1
        identity.channel?.policy = choice >> 3 & 1
        identity.channel?.isWireless = choice & 0x10 == 0
        identity.channel?.maximumCommand = choice & 0x20 == 0 ? 238 : 4096
        identity.channel?.maximumReply = choice & 0x40 == 0 ? 238 : 4096
        var state = CardState.factory(
            identity: identity.name, serial: [0, 0, 0, 0, 0x0E, 0, 0, 1], label: [0x66], nonce: [])
        let keys = Self.publicKeys.mapValues { ChannelKey(scalar: SharedSecret(copying: Self.scalar), publicKey: $0) }
        var channel = ChannelState(keys: keys, records: 3)
        let verifiers = Self.publicKeys.mapValues { SharedSecret(copying: $0) }
        channel.slots[0] = ActivationSlot(salt: [UInt8](repeating: 1, count: 16), verifiers: verifiers)
        let record = PairingRecord(
            isActive: true, profile: profile, hostIdentity: [1, 2, 3, 4, 5, 6, 7, 8],
            publicKey: Self.publicKeys[profile] ?? [], label: [], slot: 1, created: 0, lastUsed: 0)
        channel.records[0] = record
        state.channel = channel
        card = Card(
            identity: identity, state: state, memory: memory, random: Counted(), pause: { _ in }, reveal: { _ in })
        interface = CardInterface(card, offer: identity.channel)
        guard openSession(record) else { return nil }
    }

    private func openSession(_ record: PairingRecord) -> Bool {
        let zeros = [UInt8](repeating: 0, count: 32)
        guard
            let run = try? OpeningRun(
                record: 0, of: record, profile: profile, instance: Array(zeros.prefix(8)), transcript: zeros,
                shared: Secret(count: 32)),
            let protection = try? MessageProtection(profile, seed: run.seed.secret)
        else { return false }
        interface.channel?.sessions[0] = ChannelEndSession(
            run, protection: protection, lastUse: 0, context: card.makeContext(for: record))
        return true
    }

    func run(_ operation: UInt8, _ data: [UInt8]) {
        switch operation % 8 {
        case 0...2:
            expect(interface.process(data.span).count >= 2, "a command without an answer")
        case 3...5:
            execute(data)
        case 6:
            interface.reset()
        default:
            memory.fail(at: operation & 0x80 == 0 ? .max : 1 + Int(operation >> 4 & 3))
        }
    }

    /// A command that came under protection.
    private func execute(_ data: [UInt8]) {
        guard let channel = interface.channel, let session = channel.sessions[0],
            let command = try? Command(parsing: data.span), command.cla & ~0x90 == 0
        else { return }
        let limit = min(command.ne ?? 0, channel.maximumReply(session))
        let handshake = channel.handshake.take()
        var action = PostReplyAction.none
        let response = channel.execute(
            command, in: session, channel: 0, handshake: handshake, then: &action)
        expect(response.data.count <= limit, "a reply beyond its limit")
        channel.finish(action, channel: 0)
    }

    func check() {
        let encoded = card.state.encoded()
        guard let decoded = try? CardState(decoding: encoded) else { fatalError("a state that cannot be read") }
        expect(constantTimeEqual(decoded.encoded().bytes, encoded.bytes), "a state that reads back as another")
    }
}

/// "Random" bytes that are the same in each run.
private final class Counted: RandomSource, @unchecked Sendable {
    private var state: UInt64 = 1

    func fill(_ bytes: inout MutableSpan<UInt8>) throws(RandomUnavailable) {
        for index in bytes.indices {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes[index] = UInt8(truncatingIfNeeded: state >> 56)
        }
    }
}
