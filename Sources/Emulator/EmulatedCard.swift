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

    private let inside: Lock<Inside>
    /// The layer before it for a token that speaks T=0.
    private let byteProtocol: Lock<ByteProtocol>?

    /// Takes the token in `memory`, or makes a new one: formatted, user PIN 12345678, administrator's PIN 87654321.
    ///
    /// - Parameters:
    ///   - activationPasswords: For a new token with a secure channel: the passwords to burn in, the first symbol of
    ///     each naming its slot. None means that two are made for slots 1 and 2.
    ///   - serial: Four or eight bytes, big-endian. Nil takes the memory's, or a random one of the range for emulators.
    ///   - label: For a new token: its label, at most 255 bytes of UTF-8.
    ///   - random: The source of keys, nonces and challenges.
    ///   - pause: Waits so many milliseconds, after a host has failed to prove itself.
    ///   - reveal: Takes the secrets of each new session, so that a test can search a host's memory for them.
    /// - Throws: ``EmulatorError``. A memory that holds something else is left as it is.
    package init(
        _ identity: Identity, memory: any CardMemory = VolatileMemory(), activationPasswords: [String] = [],
        serial: [UInt8]? = nil, label: String? = nil, random: any RandomSource = SystemRandom(),
        pause: @escaping @Sendable (Int) -> Void = { _ in },
        reveal: @escaping @Sendable ([[UInt8]]) -> Void = { _ in }
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
        inside = Lock(Inside(card))
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

    /// Takes the power away, and with it everything that is not in the memory.
    package func powerOff() { reset() }

    /// Resets the card: everything that is not in the memory is lost. The answer is the answer to reset.
    @discardableResult
    package func reset() -> [UInt8] {
        byteProtocol?.withLock { $0 = ByteProtocol() }
        inside.withLock { $0.interface.reset() }
        return identity.atr
    }

    /// Executes a command APDU and gives the response APDU; TPDUs, if the token speaks T=0.
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
private final class Inside {
    let card: Card
    let interface: CardInterface

    init(_ card: Card) {
        self.card = card
        interface = CardInterface(card, offer: card.identity.channel)
    }
}

/// Writes lines of text that are out at once: to standard output or error, or to a file that only its owner can read.
package struct LineWriter: ~Copyable {
    private let descriptor: Int32

    /// Standard output.
    package static var standardOutput: LineWriter { LineWriter(descriptor: STDOUT_FILENO) }

    /// Standard error.
    package static var standardError: LineWriter { LineWriter(descriptor: STDERR_FILENO) }

    /// Appends to the file at `path`, which is made if it is missing. Nil if it cannot be opened.
    package init?(path: String) {
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { if descriptor > STDERR_FILENO { close(descriptor) } }

    /// Writes the line and its end. A line that cannot be written is lost.
    package borrowing func write(_ line: String) {
        let bytes = Array(line.utf8) + [0x0A]
        var written = 0
        while written < bytes.count {
            let result = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
            }
            if result < 0 && errno == EINTR { continue }
            guard result > 0 else { return }
            written += result
        }
    }
}
