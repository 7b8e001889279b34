// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets
import TokenEnd

/// The token's application: files, PINs and keys behind the commands of ISO/IEC 7816-4 and the vendor's own.
///
/// A command works on ``state`` and ``context``. Its changes of the state are in the memory before its answer is given.
/// The properties are the parts of the card, and what the last command has left behind.
final class Card {
    let identity: Identity
    let random: any RandomSource
    /// Waits so many milliseconds.
    let pause: @Sendable (Int) -> Void
    /// Receives the keys of each new session.
    let reveal: (@Sendable ([[UInt8]]) -> Void)?
    private let memory: any CardMemory

    /// The state that survives the loss of power.
    var state: CardState { didSet { isChanged = true } }
    private var isChanged = false
    private var savedState: CardState

    /// The context of the command being executed: the plain one or a session's.
    var context = Context()
    /// The number of executions of each instruction.
    var executions: [UInt8: Int] = [:]
    /// Whether the last command made all contexts void: the card was erased.
    var wasErased = false

    init(
        identity: Identity, state: CardState, memory: any CardMemory, random: any RandomSource,
        pause: @escaping @Sendable (Int) -> Void, reveal: (@Sendable ([[UInt8]]) -> Void)?
    ) {
        self.identity = identity
        self.pause = pause
        self.reveal = reveal
        self.state = state
        self.memory = memory
        self.random = random
        savedState = state
    }

    /// Puts the state into memory if it changed. If that fails the card goes on with the state before.
    func commit() throws(Refusal) {
        guard isChanged else { return }
        do throws(EmulatorError) {
            try memory.save(state.encoded())
            savedState = state
            isChanged = false
        } catch {
            state = savedState
            isChanged = false
            throw Refusal(.memoryUnchanged)
        }
    }

    /// Executes a command without secure messaging and returns the whole answer, however long.
    func execute(_ command: borrowing Command) -> Response {
        var response: Response
        do throws(Refusal) {
            response = try link(command)
        } catch {
            response = Response(error.status)
        }
        do throws(Refusal) {
            try commit()
        } catch {
            context = Context()
            response = Response(error.status)
        }
        return response
    }

    /// Collects the links of a chain, and executes a command that is complete (ISO/IEC 7816-4, 5.3.3).
    private func link(_ command: borrowing Command) throws(Refusal) -> Response {
        if let continues = context.chain?.continues(with: command), !continues { context.abortChain() }
        try require(!identity.isFilesOnly || !Self.computing.contains(command.ins), else: .instructionNotSupported)
        if command.isHash { return try hash(command) }

        let isLast = command.cla & 0x10 == 0
        if isLast && context.chain == nil { return try dispatch(command) }
        var chain = context.chain.take() ?? Chain(command)
        try require(chain.data.count + command.data.count <= Chain.limit, else: .wrongLength)
        chain.data = chain.data.appending(command.data.bytes)
        guard isLast else {
            context.chain = consume chain
            return Response(.success)
        }
        return try dispatch(
            Command(command.cla, command.ins, command.p1, command.p2, data: chain.data.copy(), ne: command.ne))
    }

    /// GENERATE, MANAGE SECURITY ENVIRONMENT, PERFORM SECURITY OPERATION, agreement, and the algorithms' table.
    private static let computing: Set<UInt8> = [0x46, 0x22, 0x2A, 0x86, 0x71]

    /// Finds the command (ISO/IEC 7816-4 for class 00, the vendor's for class 80).
    private func dispatch(_ command: borrowing Command) throws(Refusal) -> Response {
        executions[command.ins, default: 0] += 1
        return switch (command.cla, command.ins) {
        case (0x00, 0xA4): try select(command)
        case (0x00, 0xB0): try readBinary(command)
        case (0x00, 0xD6): try updateBinary(command)
        case (0x00, 0xE0): try createFile(command)
        case (0x00, 0xE4): try deleteFile(command)
        case (0x00, 0x20): try verify(command)
        case (0x00, 0x24): try changeReferenceData(command)
        case (0x00, 0x2C): try resetRetryCounter(command)
        case (0x00, 0xCA): try getData(command)
        case (0x00, 0xDA): try putData(command)
        case (0x00, 0x46): try generateKeyPair(command)
        case (0x00, 0x22): try manageSecurityEnvironment(command)
        case (0x00, 0x2A): try performSecurityOperation(command)
        case (0x00, 0x84): try getChallenge(command)
        case (0x00, 0x86): try agree(command)
        case (0x80, 0x40): try resetRights(command)
        case (0x80, 0x53) where identity.volumes != nil: try flash(command)
        case (0x80, 0x71): try tokenInformation(command)
        case (0x80, 0x7A), (0x80, 0x8A): try erase(command)
        case (0x80, 0x7E): try vendorInformation(command)
        case (0x80, 0x84): try endInitialisation(command)
        default: throw Refusal(.instructionNotSupported)
        }
    }
}

/// The card's volatile state, for plain commands or for one session of the secure channel.
struct Context: ~Copyable {
    /// The PINs that were presented.
    var rights: Set<Int> = []
    /// The current directory.
    var directory = FilePath.root
    /// The current file, which is not a directory.
    var file: FilePath?
    var environment = SecurityEnvironment()
    /// Commands that wait for the last link of their chain.
    var chain: Chain?

    /// Forgets the links of a chain, and a hash that was being computed from them.
    mutating func abortChain() {
        chain = nil
        environment.hash = nil
    }
}

/// The links of a command chain so far (ISO/IEC 7816-4, 5.3.3).
struct Chain: ~Copyable {
    /// More than any command needs.
    static let limit = 4096

    let header: [UInt8]
    var data = Secret(count: 0)

    init(_ command: borrowing Command) { header = Chain.header(of: command) }

    func continues(with command: borrowing Command) -> Bool { header == Chain.header(of: command) }

    private static func header(of command: borrowing Command) -> [UInt8] {
        [command.cla & ~0x10, command.ins, command.p1, command.p2]
    }
}

/// The card as the token's end of the secure channel uses it. Its state is a part of the card's.
extension Card: ChannelCard {
    var serial: [UInt8] { state.serial }

    var label: [UInt8] { state.label }

    /// The card that has this end always has its state.
    var channel: ChannelState {
        get { state.channel ?? ChannelState(keys: [:], records: 0) }
        set { state.channel = newValue }
    }

    func makeContext(for host: PairingRecord?) -> any CardContext { CardScope(self) }

    func takeErasure() -> Bool {
        defer { wasErased = false }
        return wasErased
    }
}

/// A context of the card, and the card that commands in it go to.
final class CardScope: CardContext {
    private let card: Card
    private var context = Context()

    init(_ card: Card) { self.card = card }

    var isInChain: Bool { context.chain != nil }

    var isAdministrator: Bool { context.rights.contains(AccessConditions.administrator) }

    func execute(_ command: borrowing Command) -> Response {
        swap(&card.context, &context)
        defer { swap(&card.context, &context) }
        return card.execute(command)
    }

    func abortChain() { context.abortChain() }

    func clear() { context = Context() }
}
