// SPDX-License-Identifier: Apache-2.0

import APDU
import Locking
import SecureChannel
package import Token
import Translation

/// The way to the token, and its absence and return (GSC/1, 15.3).
extension TokenSlot {
    /// The interval at which a call polls for the token's return.
    static let pollInterval = Duration.milliseconds(100)
    /// The number of times that a token may leave during one call.
    private static let departures = 8
    /// The time that a token has at least to be disconnected at the end of all work.
    private static let lastPatience = Duration.seconds(1)

    /// Runs `body` with the token, connected. Without a session the connection ends with the call.
    ///
    /// Calls that need the token take turns. While this one waits for its turn and while `body` runs, others are inside
    /// the monitor: `body` must not touch the slot, and sessions may have ended when it is done.
    ///
    /// - Parameters:
    ///   - waits: Whether to wait for an absent token. Functions that only inform of the token do not: they look once
    ///     whether it is back.
    ///   - usesKey: Whether `body` uses a key, which another program may have deleted.
    package func withToken<Result: ~Copyable & Sendable>(
        waits: Bool = true, usesKey: Bool = false, _ body: @Sendable (ConnectedToken) throws(TokenError) -> Result
    ) throws(TokensError) -> Result {
        takeTurn()
        defer { giveTurn() }
        return try inTurn(waits: waits, usesKey: usesKey, body)
    }

    /// As ``withToken(waits:usesKey:_:)``, for a call of a session. If the sessions end while it waits for its turn, it fails: the
    /// next token can be another one.
    package func withTokenInSession<Result: ~Copyable & Sendable>(
        waits: Bool = true, usesKey: Bool = false, _ body: @Sendable (ConnectedToken) throws(TokenError) -> Result
    ) throws(TokensError) -> Result {
        try takeTurnInSession()
        defer { giveTurn() }
        return try inTurn(waits: waits, usesKey: usesKey, body)
    }

    /// As `withToken`, for a caller that has taken the turn.
    ///
    /// If the token leaves a reader where it may be away for a while, the call waits for its return and then runs `body`
    /// from its beginning, unless something that must not run twice was sent. No other slot waits with it.
    package func inTurn<Result: ~Copyable & Sendable>(
        waits: Bool = true, usesKey: Bool = false, _ body: @Sendable (ConnectedToken) throws(TokenError) -> Result
    ) throws(TokensError) -> Result {
        var lastExchange: CardExchange?
        var departures = 0
        var departure: TokenError?
        while true {
            do throws(TokenError) {
                let token = try presentToken(waits: waits)
                defer { if isUnused { disconnect() } }
                monitor.leave()
                do throws(TokenError) {
                    let result = try body(token)
                    monitor.enter()
                    signals.lastSeen.answered(at: token.lastContact)
                    return result
                } catch {
                    monitor.enter()
                    lastExchange = token.lastExchange
                    throw failure(error, of: token)
                }
            } catch {
                departures += 1
                let recovery = error.recovery(afterActing: turn.token?.hasActed != false)
                if departures < (waits ? Self.departures : 2), isWaiting, recovery == .afterReturn {
                    if !waits { departure = error }
                    continue
                }
                throw usesKey && error == .notFound ? .keyDeleted : .token(departure ?? error, after: lastExchange)
            }
        }
    }

    /// - Throws: The error of a removal if the sessions have ended during the wait. The turn is given back then.
    package func takeTurnInSession() throws(TokensError) {
        guard takeTurn() else { return }
        giveTurn()
        throw .token(.link(.removed(sent: false)), after: nil)
    }

    /// Waits for the end of a turn that another call has.
    ///
    /// - Parameter deadline: A time of `CLOCK_MONOTONIC`.
    package func waitForTurn(until deadline: Duration) {
        while turn.isTaken, Clocks.system.awake.now < deadline { turns.wait(until: deadline) }
        if !turn.isTaken { turns.wakeOne() }
    }

    /// Ends the turn: tokens that were let go are disconnected, and a login that the token has ended ends here.
    package func giveTurn() {
        while let token = turn.nextLeaving() {
            let last = endOfWork
            monitor.outside {
                guard let last else { return token.disconnect() }
                token.disconnect(within: max(last - Clocks.system.awake.now, Self.lastPatience))
            }
        }
        let previous = login
        turn.update()
        if previous != nil, login == nil { sessions?.loginEnded() }
        turn.isTaken = false
        turns.wakeOne()
    }

    /// Ends the sessions with a token that has left and is not waited for, if no call has noticed that yet. Sends no
    /// command, and waits for no other call.
    package func noticeRemoval() {
        guard !turn.isTaken, turn.state != nil, !isWaiting, signals.lastSeen.isDoubtful else { return }
        _ = try? withToken(waits: false) { token throws(TokenError) in try token.requirePresence() }
    }

    /// Runs `body`, which needs none of the open sessions. If their token turns out to be gone, the sessions end, and
    /// `body` runs once more, with the token that is there now.
    package func withoutSessions<Result, Failure: TokenCallError>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let wasConnected = turn.state != nil
        do throws(Failure) { return try body() } catch {
            guard error.isRemoval, wasConnected, turn.state == nil else { throw error }
            return try body()
        }
    }

    /// The error of a call, which may mean that the token left.
    private func failure(_ error: TokenError, of token: ConnectedToken) -> TokenError {
        signals.lastSeen.answered(at: token.lastContact)
        guard turn.token === token else { return error }
        if error == .anotherToken { end(as: .wrongToken) }
        guard error.isAbsence || (error.mayBeAbsence && hasLeft()) else { return error }
        tokenLeft()
        return error.isAbsence ? error : .link(.removed(sent: true))
    }

    /// The connected token; an absent one is waited for, while other calls have their turns.
    private func presentToken(waits: Bool) throws(TokenError) -> ConnectedToken {
        guard let token = turn.token else { return try connect() }
        while case .waitingForToken(let deadline) = presence, turn.token === token {
            guard settings.clocks.uptime.now <= deadline, !signals.isAbandoned.withLock({ $0 }),
                !monitor.outside({ readers.field?.isOver == true })
            else {
                end(as: .normal)
                break
            }
            refuseOthers(than: token)
            let link = monitor.outside { try? readers.connect(to: reader) }
            if let link, turn.token === token {
                do throws(TokenError) { try resume(token, over: link) } catch {
                    // It may have left again at once.
                    guard isWaiting, error.isAbsence else { throw error }
                }
            }
            guard isWaiting, turn.token === token else { break }
            guard waits else { throw .link(.noCard) }
            giveTurn()
            monitor.outside { settings.clocks.pause(Self.pollInterval) }
            takeTurn()
        }
        guard turn.token === token else { throw .link(.removed(sent: false)) }
        return token
    }

    /// Lets another card go that is held to a field in place of the token, so that the right one can come. It is asked
    /// who it is, and nothing else.
    private func refuseOthers(than token: ConnectedToken) {
        guard let field = readers.field else { return }
        let (serial, tokens, isOther) = (token.serial, tokens, Lock(false))
        monitor.outside {
            guard let link = try? readers.connect(to: reader),
                let history = try? ChannelHistory(random: settings.random),
                let present = try? ConnectedToken(
                    reader: reader, link: link, settings: settings, tokens: tokens, history: history)
            else { return }
            present.disconnect()
            guard present.serial != serial else { return }
            isOther.withLock { $0 = true }
            field.letCardsGo()
        }
        guard isOther.withLock({ $0 }), isWaiting else { return }
        reportWrongToken()
    }

    /// Goes on with the token behind `link` if it proves to be the token that left. Any other gets neither PIN nor
    /// command, and ends the sessions.
    private func resume(_ token: ConnectedToken, over link: any CardLink) throws(TokenError) {
        do throws(TokenError) {
            guard link.atr == token.atr else { throw .unsupported }
            try monitor.outside { () throws(TokenError) in
                try token.resume(over: link)
                try token.prepare()
            }
        } catch {
            // A rejected cached PIN does not imply that the token was replaced.
            if error != .notLoggedIn {
                guard error.isForeignToken else { throw error }
                end(as: .wrongToken)
                throw .link(.removed(sent: false))
            }
        }
        tokenReturned()
    }

    /// The token is gone. Its sessions wait for it if the policy lets them.
    private func tokenLeft() {
        guard !isUnused, let token = turn.token else { return end(as: .normal) }
        let window = settings.policy.window(isWireless: token.isWireless)
        guard window > .zero else { return end(as: .normal) }
        waitForToken(until: signals.lastSeen.time + window)
    }

    /// Whether a transmission failed because the token left. The smart card service notices it a little later.
    private func hasLeft() -> Bool {
        for _ in 0..<6 {
            let isGone = monitor.outside {
                if let readers = try? readers.readers(), readers.first(where: { $0.name == reader })?.atr == nil {
                    return true
                }
                settings.clocks.pause(Self.pollInterval)
                return false
            }
            if isGone { return true }
        }
        return false
    }
}
