import Emulator
import GOST
import Secrets
import TestSupport

/// Bluetooth tokens with known secrets. The verifier is given, so that no test waits for PBKDF2.
struct TokenSetup {
    /// K_F of slots 1 and 2.
    static let verifier = [UInt8](repeating: 0x5A, count: 32)

    var identity = Identity.bt
    var serial: [UInt8] = [0, 0, 0, 0, 0x0E, 0, 0, 1]
    var random = PreparedRandom()
    var memory: any CardMemory = VolatileMemory()
    var slots: [Int: ActivationSlot] = [
        1: ActivationSlot(salt: [UInt8](repeating: 1, count: 16), verifier: Sealed(copying: verifier)),
        2: ActivationSlot(salt: [UInt8](repeating: 2, count: 16), verifier: Sealed(copying: verifier)),
    ]
    var records: [PairingRecord?] = []
    var privateKey: [UInt8]?

    /// One session (N = 1), or several.
    init(sessions: Int = 1) { identity.channel?.sessions = sessions }

    /// Stores the state and makes the token.
    func card() throws -> EmulatedCard {
        try memory.save(state().encoded())
        return try EmulatedCard(identity, memory: memory, random: random)
    }

    private func state() throws -> CardState {
        var state = CardState.factory(
            identity: "bt", serial: serial, label: [UInt8]("token".utf8), nonce: [UInt8](repeating: 0, count: 16))
        let scalar = try privateKey ?? SystemRandom().bytes(31) + [1]
        let key = try PrivateKey(curve: .cryptoProA, scalar: Secret(copying: scalar))
        var channel = ChannelState(
            privateKey: Sealed(copying: scalar), publicKey: try key.publicKey().bytes,
            records: identity.channel?.records ?? 0)
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
    func connectedHost(instance: [UInt8] = []) throws -> ChannelHost {
        let host = try ChannelHost(self)
        host.instance = instance
        guard try host.pair() == "9000", try host.open() == "9000" else { throw EmulatorError.cryptography }
        return host
    }
}
