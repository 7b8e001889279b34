// SPDX-License-Identifier: Apache-2.0

package import APDU
import Glibc
import GOST
import Locking
package import Secrets
@_exported public import TokenEnd

/// A token in software: the other end of every command that crosses the card interface.
///
/// A change of the lasting state is in the ``CardMemory`` before the command's answer is given. All methods may be
/// called from any thread; commands run one after the other.
package final class EmulatedCard: CardConnection, Sendable {
    /// Which token this is.
    package let identity: Identity
    /// The serial number: eight bytes, big-endian.
    package let serial: [UInt8]
    /// The activation passwords that were made for a new token, in their printed form. They are nowhere else.
    package let newActivationPasswords: [String]
    /// Whether the token was made, and not found in the memory.
    package let isNew: Bool

    private let inside: Lock<Contents>
    /// The layer before it for a token that speaks T=0.
    private let byteProtocol: Lock<ByteProtocol>?

    /// Loads the token in `memory`, or makes a new one: formatted, user PIN 12345678, administrator's PIN 87654321.
    ///
    /// - Parameters:
    ///   - activationPasswords: For a new token with a secure channel: the passwords to burn in, the first symbol of
    ///     each naming its slot. None means that two are made for slots 1 and 2.
    ///   - serial: Four or eight bytes, big-endian. Nil means the memory's, or a random one of the range for emulators.
    ///   - label: For a new token: its label, at most 255 bytes of UTF-8.
    ///   - random: The source of keys, nonces and challenges.
    ///   - pause: Waits so many milliseconds, after a host has failed to prove itself.
    ///   - reveal: Receives the secrets of each new session, so that a test can search a host's memory for them.
    /// - Throws: ``EmulatorError``. A memory that holds something else is left as it is.
    package init(
        _ identity: Identity, memory: any CardMemory = VolatileMemory(), activationPasswords: [String] = [],
        serial: [UInt8]? = nil, label: String? = nil, random: any RandomSource = SystemRandom(),
        pause: @escaping @Sendable (Int) -> Void = { _ in },
        reveal: (@Sendable ([[UInt8]]) -> Void)? = nil
    ) throws(EmulatorError) {
        let wanted = try serial.map { bytes throws(EmulatorError) in try EmulatedCard.serial(bytes) }
        var passwords: [String] = []
        let state: CardState
        let isNew: Bool
        if let stored = try memory.load() {
            state = try CardState(decoding: stored)
            guard Identity(name: state.identity)?.name == identity.name else { throw .stateIdentity(state.identity) }
            guard wanted == nil || wanted == state.serial else { throw .stateSerial }
            isNew = false
        } else {
            isNew = true
            let factory = Factory(identity: identity, random: random)
            (state, passwords) = try factory.state(serial: wanted, label: label, passwords: activationPasswords)
            try memory.save(state.encoded())
        }
        self.identity = identity
        self.serial = state.serial
        newActivationPasswords = passwords
        self.isNew = isNew
        byteProtocol = identity.speaksBytes ? Lock(ByteProtocol()) : nil
        let card = Card(
            identity: identity, state: state, memory: memory, random: random, pause: pause, reveal: reveal)
        inside = Lock(Contents(card))
    }

    /// The label that the token's label file holds; empty if missing.
    package var label: String {
        inside.withLock { String(decoding: $0.card.state.label, as: UTF8.self) }
    }

    /// User's PIN; nil while it is not set.
    var userPIN: SharedSecret? { inside.withLock { $0.card.state.fileSystem.pin(2)?.rightsFile?.value } }

    /// The identifiers of the directories in a directory, in the order of their making.
    func directories(in path: FilePath) -> [UInt16] {
        inside.withLock { inside in
            inside.card.state.fileSystem.children(of: path).filter(\.isDirectory).map(\.path.identifier)
        }
    }

    /// The number of executions of an instruction since the card was made. Needless repetitions show here.
    package func executions(of instruction: UInt8) -> Int {
        inside.withLock { $0.card.executions[instruction] ?? 0 }
    }

    /// Supplies power. The answer is the answer to reset.
    @discardableResult
    package func powerOn() -> [UInt8] { reset() }

    /// Cuts the power; everything that is not in the memory is lost.
    package func powerOff() { reset() }

    /// Resets the card: everything that is not in the memory is lost. The answer is the answer to reset.
    @discardableResult
    package func reset() -> [UInt8] {
        byteProtocol?.withLock { $0 = ByteProtocol() }
        inside.withLock { $0.interface.reset() }
        return identity.atr
    }

    /// Executes a command APDU and returns the response APDU; TPDUs, if the token speaks T=0.
    package func process(_ apdu: [UInt8]) -> [UInt8] {
        guard let byteProtocol else { return execute(apdu) }
        return byteProtocol.withLock { $0.process(apdu, execute) }
    }

    private func execute(_ apdu: [UInt8]) -> [UInt8] {
        inside.withLock { $0.interface.process(apdu.span) }
    }

    /// Executes a command, for hosts in the same process.
    package func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        guard let apdu = try? command.encoded() else { throw .malformed }
        let answer = inside.withLock { $0.interface.process(apdu.bytes) }
        guard let response = Response(parsing: answer) else { throw .malformed }
        return response
    }

    /// A serial number of eight bytes.
    private static func serial(_ bytes: [UInt8]) throws(EmulatorError) -> [UInt8] {
        switch bytes.count {
        case 8: return bytes
        case 4: return [0, 0, 0, 0] + bytes
        default: throw .invalidSerial
        }
    }
}

/// The card and its interface.
private final class Contents {
    let card: Card
    let interface: CardInterface

    init(_ card: Card) {
        self.card = card
        interface = CardInterface(card, offer: card.identity.channel)
    }
}
