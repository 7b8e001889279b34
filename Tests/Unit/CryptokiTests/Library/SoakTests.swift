// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Foundation
import Locking
import Secrets
import Storage
import TestSupport
import Testing
import Token
import Tokens

/// Random interruptions of everything that a host does with a token. `KANAL_SOAK` says how many, 400 by default, and
/// `KANAL_SOAK_SEED` repeats a run.
@Suite("Soak", .serialized)
struct SoakTests {
    /// The interruptions of one token before a new one is taken: its activation password has a limited number of tries.
    private static let roundsPerToken = 50

    @Test(
        "whatever is interrupted when, the token works afterwards and nothing ran twice",
        arguments: [ChannelProfile.classic, .modern], [1, 4])
    func interruptions(_ profile: ChannelProfile, _ sessions: Int) throws {
        var identity = Identity.bt
        identity.channel?.profiles = [profile]
        identity.channel?.sessions = sessions
        let environment = ProcessInfo.processInfo.environment
        let rounds = (environment["KANAL_SOAK"].flatMap(Int.init) ?? 400) / 4
        let seed = environment["KANAL_SOAK_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0...UInt64.max)
        print("KANAL_SOAK_SEED=\(seed)")
        var total = Tally()
        for first in stride(from: 0, to: rounds, by: Self.roundsPerToken) {
            let world = try SoakWorld(identity, seed: seed &+ UInt64(first))
            for round in first..<min(first + Self.roundsPerToken, rounds) {
                do {
                    try world.round(&total)
                } catch {
                    Issue.record("seed \(seed), round \(round), \(world.description): \(error)")
                    return
                }
            }
        }
        print("\(profile), \(sessions) sessions: \(total)")
        #expect(total.struck > rounds / 4, "too few interruptions met something to interrupt")
    }
}

/// The number of interruptions of each kind, and of those that struck.
struct Tally: CustomStringConvertible {
    var kinds: [SoakWorld.Interruption: Int] = [:]
    var struck = 0

    var description: String {
        let list = kinds.sorted { "\($0.key)" < "\($1.key)" }.map { "\($0.key) \($0.value)" }
        return list.joined(separator: ", ") + "; \(struck) struck"
    }
}

/// One token, one user's store of pairings, and the applications that come and go.
final class SoakWorld: CustomStringConvertible {
    enum Interruption: CaseIterable {
        /// The card is taken out before a command, or after it ran.
        case cardOut, cardOutAfterCommand
        /// A reply does not arrive, or arrives changed.
        case replyLost, replyChanged
        /// The application ends at once.
        case killed
        /// The power is cut before the card writes, or after.
        case powerCutBeforeWrite, powerCutAfterWrite
    }

    enum Operation: CaseIterable {
        case activate, open, logIn, generate, sign, find
    }

    private let identity: Identity
    private let memory = FailingMemory()
    private let reader: EmulatedReader
    private let store = Folder()
    private var application: Application
    private let journal = Journal()
    private var random: SplitMix64
    private var isPaired = false
    private var pairs = 0
    private var signatures = 0
    private var activations = 0
    /// Logins that were asked for since the last check. One that the power did not survive has spent a try.
    private var logins = 0
    private var plain = 0
    private var last = ""
    /// Applications that were killed: their clean-up must never run.
    private static let graveyard = Lock<[Application]>([])

    init(_ identity: Identity, seed: UInt64) throws {
        self.identity = identity
        random = SplitMix64(state: seed)
        reader = try EmulatedReader(identity, memory: memory, passwords: [Application.password])
        application = Application(reader, store: store) { [journal] in $0.log = journal.logger }
    }

    /// The last interruption, and the commands and the library's log since.
    var description: String {
        let headers = reader.headers.suffix(12).map(\.hex).joined(separator: " ")
        return ([last, headers] + journal.messages.suffix(8)).joined(separator: "; ")
    }

    func round(_ tally: inout Tally) throws {
        let interruption = Interruption.allCases.randomElement(using: &random) ?? .cardOut
        let operation = isPaired ? Operation.allCases.randomElement(using: &random) ?? .open : .activate
        let moment = Int.random(in: 1...operation.commands, using: &random)
        last = "\(operation) interrupted by \(interruption) at \(moment)"
        tally.kinds[interruption, default: 0] += 1

        let struck = Lock(false)
        schedule(interruption, at: moment) { struck.withLock { $0 = true } }
        try? run(operation)
        if struck.withLock({ $0 }) { tally.struck += 1 }
        try recover(from: interruption)
        try check()
    }

    // MARK: Interrupting

    private func schedule(_ kind: Interruption, at moment: Int, struck: @escaping @Sendable () -> Void) {
        let bit = Int.random(in: 0..<4096, using: &random)
        let reader = reader
        switch kind {
        case .powerCutBeforeWrite, .powerCutAfterWrite:
            memory.cut(after: (moment - 1) % 8, keepingLast: kind == .powerCutAfterWrite, struck)
            let memory = memory
            reader.onResponse { _, _, response throws(LinkError) in
                guard memory.isDark else { return response }
                throw .removed(sent: true)
            }
        case .cardOut:
            reader.onResponse { number, _, response throws(LinkError) in
                if number == moment {
                    struck()
                    reader.removeCard()
                }
                return response
            }
        case .cardOutAfterCommand, .killed:
            reader.onResponse { number, _, response throws(LinkError) in
                guard number >= moment else { return response }
                struck()
                if kind == .cardOutAfterCommand, number == moment { reader.removeCard() }
                throw .removed(sent: true)
            }
        case .replyLost:
            reader.onResponse { number, _, response throws(LinkError) in
                guard number == moment else { return response }
                struck()
                throw .transmission(code: 0)
            }
        case .replyChanged:
            reader.onResponse { number, _, response throws(LinkError) in
                guard number == moment else { return response }
                struck()
                var bytes = response.encoded
                bytes[bit / 8 % bytes.count] ^= 1 << (bit % 8)
                guard let changed = Response(parsing: bytes) else { throw .malformed }
                return changed
            }
        }
    }

    private func recover(from kind: Interruption) throws {
        reader.onResponse(nil)
        switch kind {
        case .powerCutBeforeWrite, .powerCutAfterWrite:
            memory.restorePower()
            reader.removeCard()
            reader.insertCard(try EmulatedCard(identity, memory: memory))
            (signatures, pairs) = (0, 0)
        case .cardOut, .cardOutAfterCommand:
            if Bool.random(using: &random) { try? run(.find) }
            reader.insertCard()
        case .killed:
            Self.graveyard.withLock { $0.append(application) }
            application = Application(reader, store: store) { [journal] in $0.log = journal.logger }
        case .replyLost, .replyChanged: break
        }
    }

    // MARK: Working

    private func run(_ operation: Operation) throws {
        if operation == .activate {
            application.library.closeEverything()
            activations += 1
            try application.activate()
            return
        }
        let session = try application.open()
        defer { try? application.library.closeSession(session) }
        guard operation != .open else { return }
        try logIn(session)
        switch operation {
        case .activate, .open, .logIn: break
        case .generate:
            pairs += 1
            _ = try application.makeKeys(session)
        case .sign:
            pairs += 1
            let keys = try application.makeKeys(session)
            signatures += 1
            _ = try application.sign(session, keys.privateKey, [UInt8](repeating: 1, count: 32), CKM_GOSTR3410)
        case .find: _ = try application.find(session)
        }
    }

    /// Logs in, unless another session of the application has done so.
    private func logIn(_ session: CK_SESSION_HANDLE) throws {
        logins += 1
        do { try application.logIn(session) } catch let error as CKError where error == .userAlreadyLoggedIn {}
    }

    // MARK: Checking

    private func check() throws {
        let session = try step("opening") {
            do {
                return try application.open()
            } catch let error as CKError where error == .functionNotSupported && !isPaired {
                activations += 1
                try application.activate()
                return try application.open()
            }
        }
        // Before the first pairing a token that seems to have no channel is asked for its serial number.
        if !isPaired { plain = reader.plainCommands.count }
        isPaired = true
        let info = try step("reading the counters") { try application.library.token(in: 0, evicting: true).info }
        guard info.user.triesLeft >= info.user.tries - logins else { throw Finding("a try of the PIN was spent") }
        logins = 0
        try step("logging in") { try logIn(session) }
        pairs += 1
        let keys = try step("making keys") { try application.makeKeys(session) }
        let digest = [UInt8](repeating: 2, count: 32)
        signatures += 1
        let signature = try step("signing") { try application.sign(session, keys.privateKey, digest, CKM_GOSTR3410) }
        try step("verifying") { try application.verify(session, keys.publicKey, digest, signature, CKM_GOSTR3410) }
        guard reader.card.executions(of: 0x46) <= pairs else { throw Finding("a generation ran twice") }
        guard reader.card.executions(of: 0x2A) <= signatures else { throw Finding("a signature was made twice") }
        try step("destroying") { try application.destroyAll(session) }
        guard try step("searching", { try application.find(session) }).isEmpty else {
            throw Finding("objects are left")
        }
        let work = reader.plainCommands.dropFirst(plain).filter { !Self.identification.contains($0) }
        guard work.isEmpty else { throw Finding("left in plain: \(work)") }
        try checkActivationTries()
        if Bool.random(using: &random) { try application.library.closeSession(session) }
    }

    /// Names the part of the check that fails.
    private func step<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw Finding("\(name) failed: \(error)") }
    }

    /// The commands to a wired token without an apparent channel, to learn whether it is paired.
    private static let identification: [[UInt8]] = [[0x80, 0x71, 0x00, 0x00], [0x00, 0xCA, 0x01, 0x81]]

    /// Only a call of the user's spends a try of the activation password (GSC/1, 7).
    private func checkActivationTries() throws {
        let slot = try reader.card.transmit(Command(0x80, 0xCA, 0x47, 0x01, ne: 256))
        var outer = ByteCursor(slot.data)
        var inner = ByteCursor(try outer.object(0xE3))
        for tag: UInt8 in 0x80...0x86 { _ = try inner.object(tag) }
        let left = try inner.object(0x87, length: 2).reduce(0) { $0 << 8 | Int($1) }
        guard left >= 1000 - activations else { throw Finding("a try of the activation password was spent") }
    }

    struct Finding: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }
}

extension SoakWorld.Operation {
    /// About how many commands it takes, so that an interruption falls into it.
    var commands: Int {
        switch self {
        case .activate, .open: 6
        case .logIn: 8
        case .find: 16
        case .generate: 30
        case .sign: 36
        }
    }
}

/// A memory whose power can be cut.
final class FailingMemory: CardMemory {
    private struct State: ~Copyable {
        var content: Secret?
        /// The number of writes before the power is cut.
        var writesLeft: Int?
        var keepsLast = false
        var isDark = false
        var struck: (@Sendable () -> Void)?
    }

    private let state: Lock<State>

    init() { state = Lock(State(content: nil)) }

    var isDark: Bool { state.withLock { $0.isDark } }

    func cut(after writes: Int, keepingLast: Bool, _ struck: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.writesLeft = writes
            state.keepsLast = keepingLast
            state.struck = struck
        }
    }

    func restorePower() {
        state.withLock { state in
            state.writesLeft = nil
            state.isDark = false
        }
    }

    func load() throws(EmulatorError) -> Secret? {
        state.withLock { state in
            switch state.content {
            case .some(let content): content.copy()
            case .none: nil
            }
        }
    }

    func save(_ content: borrowing Secret) throws(EmulatorError) {
        let isLost = state.withLock { state in
            if state.isDark { return true }
            if state.writesLeft == 0 {
                state.isDark = true
                state.struck?()
                if state.keepsLast { state.content = content.copy() }
                return true
            }
            state.writesLeft = state.writesLeft.map { $0 - 1 }
            state.content = content.copy()
            return false
        }
        if isLost { throw .storage(.full) }
    }
}

/// A generator that repeats itself from the same seed (Steele, Lea, Flood 2014).
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

extension Application {
    func destroyAll(_ session: CK_SESSION_HANDLE) throws {
        for object in try find(session) {
            try library.withSession(session) { session throws(CKError) in try session.destroyObject(object) }
        }
    }
}

extension Library {
    /// Closes the sessions of the first slot, in any state of the token.
    func closeEverything() { try? closeAllSessions(with: 0) }
}
