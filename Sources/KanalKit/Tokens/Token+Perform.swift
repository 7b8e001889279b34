// SPDX-License-Identifier: Apache-2.0
import Locking
import SecureChannel
import Secrets
import Token
import Tokens

extension Token {
    /// Works with the token.
    ///
    /// The block runs in a thread of its own, because its calls block. Before it, the token is found again if it was
    /// away, its channel and a session are opened, and the PIN is presented: the given one, or the last
    /// accepted one, unless the configuration forbids to keep it. If the token leaves while the block runs, the
    /// block's calls wait for its return, as long as the configuration allows. Cancelling the task ends such a wait;
    /// commands are never interrupted.
    ///
    /// - Parameters:
    ///   - role: The role that logs in. The security officer's PIN is not kept, and the login ends with the block.
    ///   - pin: The PIN, which is borrowed. Nil if no PIN is needed, or the user's was accepted before.
    ///   - prompt: The text that a transport shows when it opens a field session; see ``Transport``.
    ///   - patience: The longest wait for a token that is away when the work begins. Nil for the configured value.
    ///   - body: The work. The session cannot leave it.
    /// - Throws: ``KanalError``; what `body` throws.
    public func perform<Result: Sendable>(
        as role: Role = .user, pin: borrowing PIN? = nil, prompt: String? = nil, waitingFor patience: Duration? = nil,
        _ body: @escaping @Sendable (borrowing Session) throws -> Result
    ) async throws -> Result {
        try await perform(role, pin.secret, prompt, patience, body)
    }

    /// The same with an existing PIN: a stored one stays where it is.
    public func perform<Result: Sendable>(
        as role: Role = .user, pin: borrowing PIN, prompt: String? = nil, waitingFor patience: Duration? = nil,
        _ body: @escaping @Sendable (borrowing Session) throws -> Result
    ) async throws -> Result {
        try await perform(role, pin.secret, prompt, patience, body)
    }

    /// The same with a PIN that the user types at the reader, unless an earlier login goes on.
    ///
    /// - Parameter isShown: Whether an authenticator shows what to type.
    package func performAtReader<Result: Sendable>(
        as role: Role, isShown: Bool, _ body: @escaping @Sendable (borrowing Session) throws -> Result
    ) async throws -> Result {
        try await perform(role, .reader(isShown: isShown), nil, nil, body)
    }

    /// The same with a PIN that is shared; nil for none.
    func perform<Result: Sendable>(
        _ role: Role, _ given: SharedSecret?, _ prompt: String?, _ patience: Duration?,
        _ body: @escaping @Sendable (borrowing Session) throws -> Result
    ) async throws -> Result {
        try await perform(role, given.map { .value($0) } ?? .kept, prompt, patience, body)
    }

    private func perform<Result: Sendable>(
        _ role: Role, _ given: LoginPIN, _ prompt: String?, _ patience: Duration?,
        _ body: @escaping @Sendable (borrowing Session) throws -> Result
    ) async throws -> Result {
        guard PerformContext.current?.isOf(self) != true else { throw KanalError.nested }
        // The work is done in a thread, which has what belongs to no task.
        let passwords = PasswordAsking.current?.question
        let cancellation = Lock(false)
        let ask: @Sendable () -> Void = { [self] in
            cancellation.withLock { $0 = true }
            service.slots.abandonWaits(in: state.withLock { $0.slot }, true)
        }
        return try await worker.run(cancellation: .asks(ask)) { [self] in
            let isCancelled: @Sendable () -> Bool = { cancellation.withLock { $0 } }
            let context = PerformContext(self)
            defer { context.end() }
            do {
                return try service.withField(prompt, for: information.reader) {
                    let session = try session(waitingFor: patience, isCancelled: isCancelled)
                    if role == .securityOfficer { try? session.logOut() }
                    defer { if role == .securityOfficer { try? session.logOut() } }
                    do throws(KanalError) { try logIn(session, role, given) } catch {
                        throw service.field.reason(of: error)
                    }
                    return try PerformContext.$current.withValue(context) {
                        try work(in: session, role, passwords, body)
                    }
                }
            } catch KanalError.tokenAbsent where isCancelled() {
                throw KanalError.cancelled
            }
        }
    }
}

/// Where the PIN of a login comes from.
private enum LoginPIN {
    case value(SharedSecret)
    /// It was accepted before, or is not needed.
    case kept
    case reader(isShown: Bool)
}

/// The work that the present task or thread is part of, so that work within work on the same token is found.
final class PerformContext: Sendable {
    @TaskLocal static var current: PerformContext?

    private let token: Token
    private let outer = PerformContext.current
    private let isOver = Lock(false)

    init(_ token: Token) { self.token = token }

    func isOf(_ token: Token) -> Bool {
        if self.token === token, !isOver.withLock({ $0 }) { return true }
        return outer?.isOf(token) ?? false
    }

    func end() { isOver.withLock { $0 = true } }
}

// Everything below runs on the token's worker.
extension Token {
    /// Calls `body` with a session.
    ///
    /// The compiler stops where it inlines what makes one, as it would for the calls in this module.
    @inline(never)
    private func work<Result>(
        in session: TokenSession, _ role: Role, _ passwords: PasswordQuestion?,
        _ body: (borrowing Session) throws -> Result
    ) throws -> Result {
        session.passwords.withLock { $0 = passwords }
        defer { session.passwords.withLock { $0 = nil } }
        return try body(Session(session, of: self, role: role))
    }

    /// The interval of looking for a token that is away.
    private static let pollInterval = Duration.milliseconds(100)

    /// The session of the last work, or a new one.
    private func session(
        waitingFor patience: Duration?, isCancelled: () -> Bool
    ) throws(KanalError) -> TokenSession {
        if let session = state.withLock({ $0.session }) {
            allowWaits(in: state.withLock { $0.slot }, unless: isCancelled)
            do throws(TokensError) {
                try session.requirePresence()
                return session
            } catch {
                endSession()
            }
        }
        let policy = service.settings.policy
        let window = patience ?? policy.window(isWireless: information.isWireless)
        let slot = try place(waitingFor: window, isCancelled: isCancelled)
        observe(information.reader)
        let session: TokenSession
        do throws(TokensError) { session = try service.slots.openSession(with: slot) } catch {
            throw openingError(error, in: slot)
        }
        // Another token may have come since the look.
        let serial = try kanalError { () throws(TokensError) in try session.serial }
        guard serial == information.serialNumber else {
            session.close()
            enter(.wrongToken)
            throw .wrongToken
        }
        state.withLock { $0.session = session }
        return session
    }

    /// Why no session was opened with the token in a slot. The known facts of the token are updated.
    func openingError(_ error: TokensError, in slot: Int) -> KanalError {
        let slots = service.slots
        let hasHome = service.settings.pairings != .nowhere
        let reason = KanalError(opening: error, hasHome: hasHome) { () throws(TokensError) in
            try slots.channelInfo(in: slot).state
        }
        if let state = try? slots.token(in: slot, evicting: false) {
            let fresh = TokenInformation(state, reader: information.reader)
            if fresh.isSameToken(as: information) { update(fresh, slot: slot) }
        }
        return reason
    }

    /// Lets calls wait for the token in a slot, unless the work is cancelled, now or later. An earlier work may have been.
    private func allowWaits(in slot: Int, unless isCancelled: () -> Bool) {
        service.slots.abandonWaits(in: slot, false)
        if isCancelled() { service.slots.abandonWaits(in: slot, true) }
    }

    /// The slot where the token is now.
    func place(waitingFor window: Duration, isCancelled: () -> Bool) throws(KanalError) -> Int {
        let clocks = service.settings.clocks
        let end = clocks.uptime.now + window
        var isMissed = false
        while true {
            let (slot, isOtherThere, failure) = try look()
            if let slot {
                allowWaits(in: slot, unless: isCancelled)
                if isMissed { enter(.completed) }
                return slot
            }
            if isOtherThere { service.field.refuseCards(KanalError.wrongToken.description) }
            guard clocks.uptime.now < end, !isCancelled(), !service.field.isOver else {
                enter(isOtherThere ? .wrongToken : .normal)
                throw isCancelled()
                    ? .cancelled : isOtherThere ? .wrongToken : failure ?? service.field.reason(of: .tokenAbsent)
            }
            if isOtherThere {
                enter(.wrongToken)
            } else if !isMissed {
                enter(.waitingForToken(until: .now + (end - clocks.uptime.now)))
            }
            isMissed = true
            clocks.pause(Self.pollInterval)
        }
    }

    /// The slot where the token is, and whether another is where it was, or why the one there could not be asked.
    private func look() throws(KanalError) -> (slot: Int?, isOtherThere: Bool, failure: KanalError?) {
        let slots = try service.occupiedSlots()
        let (former, known) = state.withLock { ($0.slot, $0.information) }
        var isOtherThere = false
        var failure: KanalError?
        // The token's former slot comes first.
        for slot in slots.filter({ $0 == former }) + slots.filter({ $0 != former }) {
            do throws(KanalError) {
                let information = try service.information(on: slot)
                if information.isSameToken(as: known) {
                    update(information, slot: slot)
                    return (slot, false, nil)
                }
                if slot == former { isOtherThere = true }
            } catch {
                if slot == former { failure = error }
            }
        }
        return (nil, isOtherThere, failure)
    }

    /// Keeps a session for the next work, unless there is one.
    func keep(_ session: TokenSession) {
        let isKept = state.withLock { state in
            guard state.session == nil else { return false }
            state.session = session
            return true
        }
        guard isKept else { return session.close() }
        observe(information.reader)
    }

    private func observe(_ reader: String) {
        let uptime = service.settings.clocks.uptime
        service.observe(reader) { [weak self] presence in self?.enter(TokenState(presence, now: uptime.now)) }
    }

    /// Puts the login in force.
    private func logIn(_ session: TokenSession, _ role: Role, _ given: LoginPIN) throws(KanalError) {
        let kept = state.withLock { role == .user ? $0.pin : nil }
        let login = try kanalError { () throws(TokensError) in try session.login }
        let pin: SharedSecret
        switch given {
        case .reader(let isShown):
            if login == role.driverRole { return }
            do throws(TokensError) { try session.logInAtReader(as: role.driverRole, isShown: isShown) } catch {
                throw refusal(error, of: role)
            }
            return
        case .value(let value): pin = value
        case .kept:
            guard let kept else { return }
            pin = kept
        }
        if login == .user, pin == kept { return }
        do throws(TokensError) { try session.logIn(as: role.driverRole, pin: pin.secret) } catch {
            if error.tokenError == .pinIncorrect || error.tokenError == .pinLocked {
                state.withLock { state in if role == .user, state.pin == pin { state.pin = nil } }
            }
            throw refusal(error, of: role)
        }
        if role == .user { keep(pin) }
    }

    /// The error of a login, with the tries that a wrong PIN has left.
    private func refusal(_ error: TokensError, of role: Role) -> KanalError {
        guard error.tokenError == .pinIncorrect else { return KanalError(error) }
        let slot = state.withLock { $0.slot }
        let info = try? service.slots.token(in: slot, evicting: true).info
        return .pinIncorrect(
            triesLeft: info?.isFolder == true ? nil : (role == .user ? info?.user : info?.securityOfficer)?.triesLeft)
    }

    /// Keeps a PIN that was accepted, if the configuration lets it be kept.
    func keep(_ pin: SharedSecret) {
        let mayKeep = service.settings.policy.pinRetention == .session
        state.withLock { $0.pin = mayKeep ? pin : nil }
    }

    func endSession() {
        state.withLock { $0.session.take() }?.close()
    }
}
