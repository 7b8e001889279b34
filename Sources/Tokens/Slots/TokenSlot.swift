// SPDX-License-Identifier: Apache-2.0
import APDU
package import Locking
import Logging
package import Token

/// The sessions of a program with the token in a slot.
package protocol SlotSessions: AnyObject {
    /// Whether there are none, so that the connection to the token ends with each call.
    var isEmpty: Bool { get }
    /// All of them end: their token is away for too long, or another is in its place.
    func end()
    /// The login has ended, on the token or here.
    func loginEnded()
}

/// One reader, and the token in it.
///
/// Reached only inside of its monitor, which a call leaves while the card works (`withToken`).
package final class TokenSlot {
    package let monitor = Monitor()
    /// The calls that wait for the turn.
    let turns: WaitingThreads
    package let reader: String
    let readers: any ReaderService
    package let settings: TokenSettings
    /// What all slots know of tokens.
    let tokens: KnownTokens
    /// The signals that other threads send and read without the lock.
    package let signals: SlotSignals

    /// The sessions that a library above has with the token, which it owns.
    package weak var sessions: (any SlotSessions)?
    /// The numbers of ``TokenSession``s that are open, and the last one.
    private var (open, lastNumber) = (Set<Int>(), 0)
    package var turn = TokenLease() {
        didSet { signals.token.withLock { [serial = turn.state?.serial] token in token = serial } }
    }
    /// The number of times that all sessions have ended.
    private var endings = 0
    private var history: ChannelHistory?
    /// The time of `CLOCK_MONOTONIC` by which all work with tokens has to end; nil before that was wanted.
    package var endOfWork: Duration?
    /// Whether the token is present, and was away.
    package private(set) var presence = TokenPresence.normal {
        didSet {
            guard presence != oldValue else { return }
            settings.log.identified(.notice, presence.messageID, "\(presence.description)", reader: reader)
            signals.presenceChanged(reader, presence)
        }
    }

    init(
        reader: String, readers: any ReaderService, settings: TokenSettings, tokens: KnownTokens, signals: SlotSignals
    ) {
        turns = WaitingThreads(in: monitor)
        self.reader = reader
        self.readers = readers
        self.settings = settings
        self.tokens = tokens
        self.signals = signals
    }

    /// The role that is logged in to the token.
    package var login: ConnectedToken.Role? { turn.state?.login }

    /// Whether the connection to the token ends with each call.
    var isUnused: Bool { open.isEmpty && sessions?.isEmpty != false }

    // MARK: Connection

    /// Connects to the card. Everything here can be done twice, so that transient errors are retried for a second, from
    /// the beginning. In that time the smart card service also powers a card that another program has switched off.
    func connect() throws(TokenError) -> ConnectedToken {
        let end = settings.clocks.uptime.now + .seconds(1)
        var isLast = false
        while true {
            do throws(TokenError) { return try connectOnce() } catch {
                guard error.linkError?.mayPass == true, !isLast else { throw error }
                monitor.outside { settings.clocks.pause(Self.pollInterval) }
                isLast = settings.clocks.uptime.now >= end
            }
        }
    }

    private func connectOnce() throws(TokenError) -> ConnectedToken {
        let history = try channelHistory()
        let token = try monitor.outside { () throws(TokenError) in
            let link: any CardLink
            do throws(LinkError) { link = try readers.connect(to: reader) } catch { throw .link(error) }
            return try ConnectedToken(reader: reader, link: link, settings: settings, tokens: tokens, history: history)
        }
        turn.take(token)
        presence = .normal
        return token
    }

    /// The history of the slot's channels. It stays as long as the process knows the slot, so that the token can
    /// distinguish the process's sessions from others'.
    private func channelHistory() throws(TokenError) -> ChannelHistory {
        if let history { return history }
        let history = try ChannelHistory(random: settings.random)
        self.history = history
        return history
    }

    /// Whether a session can begin without a command to the token: it has no channel that could be lost, no call uses
    /// it now, and at the last look it was in its reader.
    package var isReady: Bool {
        guard !turn.isTaken, turn.state?.isPlain == true, !signals.lastSeen.isDoubtful else { return false }
        return !isWaiting
    }

    /// Whether the token is away, and its sessions wait for it.
    package var isWaiting: Bool { if case .waitingForToken = presence { true } else { false } }

    /// Lets the token go. A call that has the turn disconnects it at its end.
    package func disconnect() {
        turn.letGo()
        guard !turn.isTaken else { return }
        takeTurn()
        giveTurn()
    }

    /// Ends all sessions with the token.
    package func end(as presence: TokenPresence) {
        open = []
        endings &+= 1
        sessions?.end()
        self.presence = presence
        disconnect()
    }

    /// Forgets the login to a token that is away.
    package func forgetLogin() {
        takeTurn()
        defer { giveTurn() }
        turn.token?.forgetLogin()
    }

    // MARK: Sessions

    func hasSession(_ number: Int) -> Bool { open.contains(number) }

    func enterSession() -> Int {
        lastNumber += 1
        open.insert(lastNumber)
        return lastNumber
    }

    /// Closes a session. With the last one the login ends and the token is let go.
    func closeSession(_ number: Int) {
        guard open.remove(number) != nil else { return }
        if isUnused { end(as: .normal) }
    }

    /// Closes all sessions of this kind.
    func endSessions() {
        for number in open { closeSession(number) }
    }

    // MARK: For TokenSlot+Turns.swift

    /// Waits for the turn to use the token, and acquires it.
    ///
    /// - Returns: Whether the sessions have ended during the wait: the next token can be another one.
    @discardableResult package func takeTurn() -> Bool {
        let before = endings
        while turn.isTaken { turns.wait() }
        turn.isTaken = true
        return endings != before
    }

    func waitForToken(until end: Duration) { presence = .waitingForToken(until: end) }
    func tokenReturned() { presence = .completed }

    /// A different token was in the place of the expected token, and was released.
    func reportWrongToken() {
        let awaited = presence
        presence = .wrongToken
        presence = awaited
    }
}
