// SPDX-License-Identifier: Apache-2.0
import APDU
import Asking
import CCryptoki
import Locking
import Logging
import Token

/// One reader, the token in it, and this application's sessions with that token.
///
/// Reached only inside of its monitor, which a call leaves while the card works (`Slot.withToken`).
final class Slot {
    let monitor = Monitor()
    let reader: String
    let readers: any ReaderService
    let settings: TokenSettings
    /// The signals that other threads send and read without the lock.
    let signals: SlotSignals
    /// Before which signatures the user is asked for consent.
    let consent: Consent

    var turn = TokenLease() {
        didSet { signals.token.withLock { [serial = turn.state?.serial] token in token = serial } }
    }
    private var history: ChannelHistory?
    var sessions = SlotSessions()
    /// Objects of the token and of its sessions.
    var objects = HandleTable<Object>(notFound: .objectHandleInvalid)
    /// The token's objects when `objects` was last updated.
    var known: [TokenObject]?
    /// Whether the token is present, and was away.
    var presence = TokenPresence.normal {
        didSet {
            guard presence != oldValue else { return }
            settings.log.identified(.notice, presence.messageID, "\(presence.description)", reader: reader)
            signals.presenceChanged(reader, presence)
        }
    }

    init(
        reader: String, readers: any ReaderService, settings: TokenSettings, signals: SlotSignals, consent: Consent
    ) {
        self.consent = consent
        self.reader = reader
        self.readers = readers
        self.settings = settings
        self.signals = signals
    }

    // MARK: Token

    /// The role that is logged in to the token.
    var login: Token.Role? { turn.state?.login }

    /// Connects to the card. Everything here can be done twice, so that transient errors are retried for a second, from
    /// the beginning. In that time the smart card service also powers a card that another program has switched off.
    func connect() throws(TokenError) -> Token {
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

    private func connectOnce() throws(TokenError) -> Token {
        let history = try channelHistory()
        let token = try monitor.outside { () throws(TokenError) in
            let link: any CardLink
            do throws(LinkError) { link = try readers.connect(to: reader) } catch { throw .link(error) }
            return try Token(reader: reader, link: link, settings: settings, history: history)
        }
        turn.take(token)
        presence = .normal
        return token
    }

    /// The history of the slot's channels. It stays as long as the process knows the slot, so that the token can tell
    /// the process's sessions from others'.
    private func channelHistory() throws(TokenError) -> ChannelHistory {
        if let history { return history }
        let history = try ChannelHistory(random: settings.random)
        self.history = history
        return history
    }

    /// Lets the token go. A call that has the turn disconnects it at its end.
    func disconnect() {
        turn.letGo()
        guard !turn.isTaken else { return }
        takeTurn()
        giveTurn()
    }

    // MARK: Sessions

    var hasReadOnlySession: Bool { sessions.readWriteCount < sessions.count }

    func requireNoSession() throws(CKError) {
        guard sessions.isEmpty else { throw .sessionExists }
    }

    /// Opens a session. The token must be activated.
    func openSession(_ handle: CK_SESSION_HANDLE, isReadWrite: Bool) throws(CKError) {
        // Entered before the token is asked, so that the connection stays.
        sessions.insert(Session(handle: handle, isReadWrite: isReadWrite, slot: self))
        do throws(CKError) {
            let check = { () throws(CKError) in
                guard isReadWrite || self.login != .securityOfficer else { throw .sessionReadWriteSOExists }
            }
            guard isTokenReady else {
                // A new connection has just checked the token.
                let wasConnected = turn.state != nil
                return try withToken(checking: check) { token throws(TokenError) in
                    if wasConnected || !token.isPlain { try token.prepare() }
                }
            }
            try check()
        } catch {
            closeSession(handle)
            throw error
        }
    }

    /// Whether a session can begin without a command to the token: it has no channel that could be lost, no call uses
    /// it now, and at the last look it was in its reader.
    private var isTokenReady: Bool {
        guard !turn.isTaken, turn.state?.isPlain == true, !signals.lastSeen.isDoubtful else { return false }
        if case .waitingForToken = presence { return false }
        return true
    }

    /// Closes a session and destroys its objects. With the last one the login ends and the token is let go.
    func closeSession(_ handle: CK_SESSION_HANDLE) {
        sessions.remove(handle)
        objects.removeAll { $0.session == handle }
        if sessions.isEmpty { closeAllSessions() }
    }

    func closeAllSessions() {
        for session in sessions.all { session.isClosed = true }
        end(as: .normal)
    }

    /// A session, as soon as no other call has it.
    func beginCall(of handle: CK_SESSION_HANDLE) throws(CKError) -> Session {
        while sessions.isBusy(handle) { monitor.wait() }
        let session = try sessions[handle]
        sessions.setBusy(handle, true)
        return session
    }

    func endCall(of session: Session) {
        // Objects that a call makes after the end of its session have no owner.
        if session.isClosed { objects.removeAll { $0.session == session.handle } }
        sessions.setBusy(session.handle, false)
        monitor.tellOfChange()
    }

    /// Ends all sessions; their handles and those of their objects are never used again.
    func end(as presence: TokenPresence) {
        sessions.removeAll()
        objects.removeAll { _ in true }
        known = nil
        self.presence = presence
        disconnect()
    }

    // MARK: Login

    /// Forgets the login to a token that is away.
    func forgetLogin() {
        takeTurn()
        defer { giveTurn() }
        turn.token?.forgetLogin()
    }

    /// Operations with private keys, and private objects of sessions, end with the login.
    func loginEnded() {
        objects.removeAll { $0.isPrivate }
        known = nil
        for session in sessions.all { session.loginEnded() }
    }
}
