// SPDX-License-Identifier: Apache-2.0
import APDU
import Locking
import SecureChannel
import Token

/// The way to the token, and its absence and return (GSC/1, 15.3).
extension Slot {
    /// How often a call looks whether the token is back.
    static let pollInterval = Duration.milliseconds(100)
    /// How often a token may leave during one call.
    private static let departures = 8

    /// Runs `body` with the token, connected. Without a session the connection ends with the call.
    ///
    /// If the token leaves a reader where it may be away for a while, the call waits for its return and then runs `body`
    /// from its beginning, unless something that must not run twice was sent. No other slot waits with it.
    ///
    /// - Parameters:
    ///   - waits: Whether to wait for an absent token. Functions that only inform of the token do not.
    ///   - usesKey: Whether `body` uses a key, which another program may have deleted.
    func withToken<Result: ~Copyable>(
        waits: Bool = true, usesKey: Bool = false, _ body: (Token) throws(TokenError) -> Result
    ) throws(CKError) -> Result {
        var lastExchange: CardExchange?
        let previous = login
        defer { if previous != nil, login == nil { loginEnded() } }
        var departures = 0
        while true {
            do throws(TokenError) {
                let token = try presentToken(waits: waits)
                defer { if sessions.isEmpty { disconnect() } }
                do throws(TokenError) {
                    let result = try body(token)
                    signals.lastSeen.answered(at: token.lastContact)
                    return result
                } catch {
                    lastExchange = token.lastExchange
                    throw failure(error, of: token)
                }
            } catch {
                departures += 1
                let recovery = error.recovery(afterActing: connection?.hasActed != false)
                if departures < Self.departures, waits, case .waitingForToken = presence, recovery == .afterReturn {
                    continue
                }
                guard usesKey, error == .notFound else { throw CKError(error, after: lastExchange) }
                throw .keyHandleInvalid("the token has the key no more")
            }
        }
    }

    /// Runs `body`, which needs none of the open sessions. If their token turns out to be gone, the sessions end, and
    /// `body` runs once more, with the token that is there now.
    func withoutSessions<Result>(_ body: () throws(CKError) -> Result) throws(CKError) -> Result {
        let wasConnected = connection != nil
        do throws(CKError) { return try body() } catch {
            guard error == .deviceRemoved, wasConnected, connection == nil else { throw error }
            return try body()
        }
    }

    /// The error of a call, which may mean that the token left.
    private func failure(_ error: TokenError, of token: Token) -> TokenError {
        signals.lastSeen.answered(at: token.lastContact)
        if error == .anotherToken { end(as: .wrongToken) }
        guard error.isAbsence || (error.mayBeAbsence && hasLeft()) else { return error }
        tokenLeft()
        return error.isAbsence ? error : .link(.removed(sent: true))
    }

    /// The connected token; one that is away is waited for.
    private func presentToken(waits: Bool) throws(TokenError) -> Token {
        guard let connection else { return try connect() }
        guard case .waitingForToken(let deadline) = presence else { return connection }
        while settings.clocks.uptime.now <= deadline {
            if let link = try? readers.connect(to: reader) {
                do throws(TokenError) {
                    try resume(connection, over: link)
                    return connection
                } catch {
                    // It may have left again at once.
                    guard case .waitingForToken = presence, error.isAbsence else { throw error }
                }
            }
            guard waits else { throw .link(.noCard) }
            guard !signals.isAbandoned.withLock({ $0 }) else { break }
            settings.clocks.pause(Self.pollInterval)
        }
        end(as: .normal)
        throw .link(.removed(sent: false))
    }

    /// Goes on with the token behind `link` if it proves to be the one that left. Any other gets neither PIN nor
    /// command, and ends the sessions.
    private func resume(_ token: Token, over link: any CardLink) throws(TokenError) {
        do throws(TokenError) {
            guard link.atr == token.atr else { throw .unsupported }
            try token.resume(over: link)
            try token.prepare()
        } catch {
            // A PIN that is not taken again says nothing of the token's identity.
            if error != .notLoggedIn {
                guard error.isForeignToken else { throw error }
                end(as: .wrongToken)
                throw .link(.removed(sent: false))
            }
        }
        presence = .completed
    }

    /// The token is gone. Its sessions wait for it if the policy lets them.
    private func tokenLeft() {
        guard !sessions.isEmpty, let connection else { return end(as: .normal) }
        let window = settings.policy.window(isWireless: connection.isWireless)
        guard window > .zero else { return end(as: .normal) }
        presence = .waitingForToken(until: signals.lastSeen.time + window)
    }

    /// Whether a transmission failed because the token left. The smart card service notices it a little later.
    private func hasLeft() -> Bool {
        for _ in 0..<6 {
            if let readers = try? readers.readers(), readers.first(where: { $0.name == reader })?.atr == nil {
                return true
            }
            settings.clocks.pause(Self.pollInterval)
        }
        return false
    }
}
