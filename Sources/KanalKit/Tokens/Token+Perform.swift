// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Locking
import Secrets
import Token
import Tokens

extension Token {
    /// Works with the token.
    ///
    /// The block runs in a thread of its own, because its calls block. Before it, the token is found again if it was
    /// away, its channel and a session are opened, and the PIN is presented: the given one, or the one that was
    /// accepted before, unless the configuration forbids to keep it. If the token leaves while the block runs, the
    /// block's calls wait for its return, as long as the configuration says. Cancelling the task ends such a wait;
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

    /// The same with a PIN that there is: one that is stored stays where it is.
    public func perform<Result: Sendable>(
        as role: Role = .user, pin: borrowing PIN, prompt: String? = nil, waitingFor patience: Duration? = nil,
        _ body: @escaping @Sendable (borrowing Session) throws -> Result
    ) async throws -> Result {
        try await perform(role, pin.secret, prompt, patience, body)
    }

    private func perform<Result: Sendable>(
        _ role: Role, _ given: SharedSecret?, _ prompt: String?, _ patience: Duration?,
        _ body: @escaping @Sendable (borrowing Session) throws -> Result
    ) async throws -> Result {
        guard PerformContext.current?.isOf(self) != true else { throw KanalError.nested }
        let cancellation = Lock(false)
        let ask: @Sendable () -> Void = { [self] in
            cancellation.withLock { $0 = true }
            service.library.abandonWaits(in: state.withLock { $0.slot }, true)
        }
        return try await worker.run(cancellation: .asks(ask)) { [self] in
            let isCancelled: @Sendable () -> Bool = { cancellation.withLock { $0 } }
            let context = PerformContext(self)
            defer { context.end() }
            do {
                return try service.field.within(prompt ?? "") {
                    let handle = try session(waitingFor: patience, isCancelled: isCancelled)
                    if role == .securityOfficer { endLogin(handle) }
                    defer { if role == .securityOfficer { endLogin(handle) } }
                    try logIn(handle, role, given)
                    return try PerformContext.$current.withValue(context) {
                        try work(in: handle, role, body)
                    }
                }
            } catch KanalError.tokenAbsent where isCancelled() {
                throw KanalError.cancelled
            }
        }
    }
}

/// The role of a login.
public enum Role: Sendable, Equatable {
    /// The owner, to whom the keys belong.
    case user
    /// Gives the user a PIN, and makes activation passwords. Sees no keys.
    case securityOfficer
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
    /// Gives `body` a session.
    ///
    /// The compiler stops where it inlines what makes one, as it would for the calls in this module.
    @inline(never)
    private func work<Result>(
        in handle: CK_SESSION_HANDLE, _ role: Role, _ body: (borrowing Session) throws -> Result
    ) throws -> Result {
        try body(Session(handle, of: self, role: role))
    }

    /// The interval of looking for a token that is away.
    private static let pollInterval = Duration.milliseconds(100)

    /// The session of the last work, or a new one.
    private func session(
        waitingFor patience: Duration?, isCancelled: () -> Bool
    ) throws(KanalError) -> CK_SESSION_HANDLE {
        if let handle = state.withLock({ $0.session }) {
            letWait(in: state.withLock { $0.slot }, unless: isCancelled)
            do throws(CKError) {
                try service.library.withSession(handle) { session throws(CKError) in try session.requirePresence() }
                return handle
            } catch {
                endSession()
            }
        }
        let policy = service.settings.policy
        let window = patience ?? policy.window(isWireless: information.isWireless)
        let slot = try place(waitingFor: window, isCancelled: isCancelled)
        observe(information.reader)
        let handle: CK_SESSION_HANDLE
        do throws(CKError) {
            handle = try service.library.openSession(with: slot, flags: CKF_SERIAL_SESSION | CKF_RW_SESSION)
        } catch {
            throw openingError(error, in: slot)
        }
        // Another token may have come since the look.
        let serial = try translated { () throws(CKError) in
            try service.library.withSession(handle) { session throws(CKError) in session.tokenSerial }
        }
        guard serial == information.serialNumber else {
            try? service.library.closeSession(handle)
            enter(.wrongToken)
            throw .wrongToken
        }
        state.withLock { $0.session = handle }
        return handle
    }

    /// Why no session was opened with the token in a slot. What is known of the token follows.
    func openingError(_ error: CKError, in slot: CK_SLOT_ID) -> KanalError {
        let library = service.library
        let reason = KanalError(opening: error) { () throws(CKError) in try library.channelInfo(in: slot).state }
        if let state = try? library.token(in: slot, evicting: false) {
            let fresh = TokenInformation(state.report, reader: information.reader)
            if fresh.isSameToken(as: information) { update(fresh, slot: slot) }
        }
        return reason
    }

    /// Lets calls wait for the token in a slot, unless the work is cancelled, now or later. An earlier work may have been.
    private func letWait(in slot: CK_SLOT_ID, unless isCancelled: () -> Bool) {
        service.library.abandonWaits(in: slot, false)
        if isCancelled() { service.library.abandonWaits(in: slot, true) }
    }

    /// The slot where the token is now.
    func place(waitingFor window: Duration, isCancelled: () -> Bool) throws(KanalError) -> CK_SLOT_ID {
        let clocks = service.settings.clocks
        let end = clocks.uptime.now + window
        var isMissed = false
        while true {
            let (slot, isOtherThere, failure) = try look()
            if let slot {
                letWait(in: slot, unless: isCancelled)
                if isMissed { enter(.completed) }
                return slot
            }
            if isOtherThere { service.field.refuseCards(KanalError.wrongToken.description) }
            guard clocks.uptime.now < end, !isCancelled(), !service.field.isOver else {
                enter(isOtherThere ? .wrongToken : .normal)
                throw isCancelled() ? .cancelled : isOtherThere ? .wrongToken : failure ?? .tokenAbsent
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
    private func look() throws(KanalError) -> (slot: CK_SLOT_ID?, isOtherThere: Bool, failure: KanalError?) {
        let slots = try service.slots()
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

    private func observe(_ reader: String) {
        let uptime = service.settings.clocks.uptime
        service.observe(reader) { [weak self] presence in self?.enter(TokenState(presence, now: uptime.now)) }
    }

    /// Puts the login in force.
    private func logIn(_ handle: CK_SESSION_HANDLE, _ role: Role, _ given: SharedSecret?) throws(KanalError) {
        let kept = state.withLock { role == .user ? $0.pin : nil }
        guard let pin = given ?? kept else { return }
        let library = service.library
        let isLoggedIn = try translated { () throws(CKError) in
            try library.withSession(handle) { session throws(CKError) in session.state == CKS_RW_USER_FUNCTIONS }
        }
        if isLoggedIn, pin == kept { return }
        do throws(CKError) {
            try library.withSession(handle) { session throws(CKError) in
                if isLoggedIn { try session.logOut() }
                try session.logIn(role == .user ? CKU_USER : CKU_SO, pin: pin.secret)
            }
        } catch {
            guard error == .pinIncorrect || error == .pinLocked else { throw KanalError(error) }
            state.withLock { state in if role == .user, state.pin == pin { state.pin = nil } }
            guard error == .pinIncorrect else { throw .pinLocked }
            let slot = state.withLock { $0.slot }
            let info = try? library.token(in: slot, evicting: true).info
            throw .pinIncorrect(triesLeft: (role == .user ? info?.user : info?.securityOfficer)?.triesLeft)
        }
        if role == .user { keep(pin) }
    }

    /// Ends any login.
    private func endLogin(_ handle: CK_SESSION_HANDLE) {
        try? service.library.withSession(handle) { session throws(CKError) in try session.logOut() }
    }

    /// Keeps a PIN that was accepted, if the configuration lets it be kept.
    func keep(_ pin: SharedSecret) {
        let mayKeep = service.settings.policy.pinRetention == .session
        state.withLock { $0.pin = mayKeep ? pin : nil }
    }

    func endSession() {
        let session = state.withLock { $0.session.take() }
        if let session { try? service.library.closeSession(session) }
    }
}
