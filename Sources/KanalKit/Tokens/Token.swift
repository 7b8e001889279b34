// SPDX-License-Identifier: Apache-2.0

import Locking
import Secrets
import Token
import Tokens
package import Translation

/// A token, wherever it is: in a reader, on its way to another, or away.
///
/// All work is done by `Token.perform`. Work of several tasks on one token is done one after the
/// other; tokens do not wait for each other.
public final class Token: Sendable {
    struct State {
        var information: TokenInformation
        var slot: Int
        /// The session that the last work has left open.
        var session: TokenSession?
        /// The PIN that was accepted, if it may be kept.
        var pin: SharedSecret?
        var presence = TokenState.normal
        var observers: [Int: AsyncStream<TokenState>.Continuation] = [:]
        var lastObserver = 0
    }

    let service: TokenService
    let worker = Worker()
    let state: Lock<State>

    init(_ information: TokenInformation, slot: Int, of service: TokenService) {
        self.service = service
        state = Lock(State(information: information, slot: slot))
    }

    deinit {
        let (session, observers) = state.withLock { ($0.session, $0.observers.values.map { $0 }) }
        for observer in observers { observer.finish() }
        session?.close()
    }

    /// The facts that are known of the token, as of the last look at it.
    public var information: TokenInformation { state.withLock { $0.information } }

    /// Whether it can be worked with, or its secure channel has to be activated first.
    public var isActivated: Bool { information.isActivated }

    /// The states of the token's presence, beginning with the present one. Every caller gets a sequence of its own.
    public var states: AsyncStream<TokenState> {
        let (stream, continuation) = AsyncStream.makeStream(of: TokenState.self)
        let number = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = continuation
            continuation.yield(state.presence)
            return state.lastObserver
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.observers.removeValue(forKey: number) }
        }
        return stream
    }

    /// Forgets the PIN that was accepted, and ends the login.
    public func forgetPIN() async {
        state.withLock { $0.pin = nil }
        await workingAlways(on: worker) { [self] in
            // Work that was under way may have had the PIN accepted meanwhile.
            state.withLock { $0.pin = nil }
            endSession()
        }
    }

    /// Activates the secure channel with its activation password. Afterwards every program of this user can
    /// work with it.
    ///
    /// - Parameter prompt: As for `Token.perform`; then a token that is away is waited for as there, too.
    /// - Throws: ``KanalError/passwordIncorrect(triesLeft:)``, ``KanalError/passwordLocked``, ``KanalError/tokenAbsent``,
    ///   ``KanalError/wrongToken``, ``KanalError/fieldEnded``.
    public func activate(
        password: borrowing ActivationPassword, prompt: String? = nil
    ) async throws(KanalError) {
        let password = password.secret
        try await inPlace(prompt, waits: prompt != nil) { [self] slot throws(KanalError) in
            endSession()
            let bytes = password.secret.copy()
            do throws(TokensError) { try service.slots.activate(slot, password: bytes.bytes) } catch {
                throw KanalError(activation: error)
            }
            update(try service.information(on: slot), slot: slot)
        }
    }

    // MARK: For the manager

    /// Whether work is being done with the token in a slot.
    func isBusy(in slot: Int) -> Bool { worker.isBusy && state.withLock { $0.slot == slot } }

    func update(_ information: TokenInformation, slot: Int) {
        state.withLock { state in
            state.information = information
            state.slot = slot
        }
    }

    /// Notifies all listeners of a new state.
    func enter(_ presence: TokenState) {
        state.withLock { state in
            guard state.presence != presence else { return }
            state.presence = presence
            for observer in state.observers.values { observer.yield(presence) }
        }
    }
}

/// The state of a token, as far as its work is concerned.
public enum TokenState: Sendable, Equatable {
    /// It was never away, or was not missed.
    case normal
    /// It is away, and work waits for it until this time.
    case waitingForToken(until: ContinuousClock.Instant)
    /// Another token is in its place. Nothing is sent to that one.
    case wrongToken
    /// It was away, and work goes on.
    case completed

    init(_ presence: TokenPresence, now: Duration) {
        self =
            switch presence {
            case .normal: .normal
            case .waitingForToken(let end): .waitingForToken(until: .now + (end - now))
            case .wrongToken: .wrongToken
            case .completed: .completed
            }
    }
}

extension Token: CustomStringConvertible {
    /// Serial number, label and reader, for people.
    public var description: String { information.description }
}

extension TokenState: CustomStringConvertible {
    /// The state in words, for people.
    public var description: String { explanation.description }

    package var explanation: Phrase {
        switch self {
        case .normal: "the token is there"
        case .waitingForToken: "waiting for the token"
        case .wrongToken: "another token is there"
        case .completed: "the token is back, and work goes on"
        }
    }
}

extension Token {
    /// Whether `kanal.conf` names an authenticator, which ``askForPIN(of:for:after:)`` has the user asked by.
    public var hasAuthenticator: Bool { service.slots.asksForPINs }

    /// Whether `kanal.conf` names a file or the like, which answers without the user.
    package var answersForUser: Bool { service.slots.answersForUser }

    /// Has the user asked for a PIN by the authenticator of `kanal.conf`, a program such as pinentry. The question
    /// names the token, this program, and the tries that are left. The token is not locked in the meantime: other
    /// callers can use it.
    ///
    /// - Parameters:
    ///   - role: Whose PIN.
    ///   - purpose: The purpose of the PIN, as a part of a sentence, such as "to sign a contract".
    ///   - refusal: How the work ended with the last answer; ``KanalError/pinIncorrect(triesLeft:)`` is shown.
    /// - Throws: ``KanalError/cancelled`` if the user refuses, ``KanalError/askingFailed(_:)``,
    ///   ``KanalError/authenticatorNotInstalled(_:)``, ``KanalError/authenticatorNotConfigured``,
    ///   ``KanalError/pinLocked``, ``KanalError/tokenAbsent``. Cancelling the task ends the wait at once; the question
    ///   stays until it is answered, and the answer is discarded.
    public func askForPIN(
        of role: Role = .user, for purpose: String = "to log in", after refusal: KanalError? = nil
    ) async throws(KanalError) -> PIN {
        var fault: PINFault?
        if case .pinIncorrect? = refusal { fault = .incorrect }
        let pin = try await working(on: Worker(), cancellation: .abandons) { [self, fault] () throws(KanalError) in
            let slot = state.withLock { $0.slot }
            return try kanalError { () throws(TokensError) in
                try service.slots.askForPIN(of: role.driverRole, for: Phrase(key: purpose), in: slot, after: fault)
            }
        }
        return PIN(pin)
    }
}

extension Token {
    /// Everything that the token reports of itself without a PIN. All of it is read again, known facts included.
    ///
    /// Before its channel is activated a token reports little; see ``TokenDetails``. A channel that another process has
    /// with a token which has only one of them ends, and is opened again when that process needs it.
    ///
    /// - Parameter prompt: As for `Token.perform`. A token that is away is waited for as there.
    public func details(prompt: String? = nil) async throws(KanalError) -> TokenDetails {
        try await inPlace(prompt) { [self] slot throws(KanalError) in
            let slots = service.slots
            let state = try kanalError { () throws(TokensError) in try slots.token(in: slot, evicting: true) }
            let reader = try kanalError { () throws(TokensError) in try slots.state(of: slot).reader }
            let fresh = TokenInformation(state, reader: reader)
            guard fresh.isSameToken(as: information) else {
                enter(.wrongToken)
                throw .wrongToken
            }
            update(fresh, slot: slot)
            let channel = try kanalError { () throws(TokensError) in try slots.channelInfo(in: slot) }
            guard state.info.isFormatted != nil else {
                return TokenDetails(state, fresh, ChannelDetails(channel), modelName: nil, driveMegabytes: nil)
            }
            let (name, driveSize, containers) = try kanalError { () throws(TokensError) in
                try slots.withToken(in: slot) { token throws(TokenError) in
                    (try token.modelName(), try token.driveSize(), try token.containers())
                }
            }
            return TokenDetails(
                state, fresh, ChannelDetails(channel), modelName: name.map { String(decoding: $0, as: UTF8.self) },
                driveMegabytes: driveSize, containers: containers.map(KeyContainer.init))
        }
    }

    /// The key containers of CryptoPro CSP on the token, as everybody may see them without a PIN; empty before its channel is
    /// activated.
    ///
    /// - Parameter prompt: As for `Token.perform`. A token that is away is waited for as there.
    public func keyContainers(prompt: String? = nil) async throws(KanalError) -> [KeyContainer] {
        try await inPlace(prompt) { [self] slot throws(KanalError) in
            let slots = service.slots
            let places = try kanalError { () throws(TokensError) in
                try slots.withToken(in: slot) { token throws(TokenError) in
                    token.isActivated ? try token.containers() : []
                }
            }
            return places.map(KeyContainer.init)
        }
    }

    /// Runs `body` in the token's thread, with the token's slot. `body` opens the sessions that it needs.
    ///
    /// - Parameter waits: Whether a token that is away is waited for.
    func inPlace<Result: Sendable>(
        _ prompt: String?, waits: Bool = true, _ body: @escaping @Sendable (Int) throws(KanalError) -> Result
    ) async throws(KanalError) -> Result {
        guard PerformContext.current?.isOf(self) != true else { throw .nested }
        let cancellation = Lock(false)
        let ask: @Sendable () -> Void = { cancellation.withLock { $0 = true } }
        return try await working(on: worker, cancellation: .asks(ask)) { [self] () throws(KanalError) in
            let isCancelled = { cancellation.withLock { $0 } }
            let window = waits ? service.settings.policy.window(isWireless: information.isWireless) : .zero
            let needsField = service.needsField(for: information.reader)
            if needsField { try service.field.enter(prompt ?? "") }
            do throws(KanalError) {
                let slot = try place(waitingFor: window, isCancelled: isCancelled)
                let result = try body(slot)
                if needsField { service.field.leave(.success) }
                return result
            } catch {
                let reason = service.field.reason(of: error)
                if needsField { service.field.leave(.failure(reason.description)) }
                throw reason
            }
        }
    }
}
