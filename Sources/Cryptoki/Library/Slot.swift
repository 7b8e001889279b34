// SPDX-License-Identifier: Apache-2.0
import APDU
import Asking
import CCryptoki
import Locking
import Logging
import Token

/// One reader, the token in it, and this application's sessions with that token.
///
/// Reached only under the lock that the library keeps for each slot.
final class Slot {
    let reader: String
    let readers: any ReaderService
    let settings: TokenSettings
    /// What other threads tell without the lock.
    let signals: SlotSignals
    /// Before which signatures the user is asked for consent.
    let consent: Consent

    private(set) var connection: Token? {
        didSet { signals.token.withLock { [serial = connection?.serial] token in token = serial } }
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
            settings.log.notice("\(presence.description)", metadata: ["reader": "\(reader)"])
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

    /// Who is logged in to the token.
    var login: Token.Role? { connection?.login }

    /// Connects to the card. Everything here can be done twice, so that passing errors are waited out for a second, and
    /// all is done again. In that time the smart card service also powers a card that another program has switched off.
    func connect() throws(TokenError) -> Token {
        let end = settings.clocks.uptime.now + .seconds(1)
        var isLast = false
        while true {
            do throws(TokenError) { return try connectOnce() } catch {
                guard error.linkError?.mayPass == true, !isLast else { throw error }
                settings.clocks.pause(Self.pollInterval)
                isLast = settings.clocks.uptime.now >= end
            }
        }
    }

    private func connectOnce() throws(TokenError) -> Token {
        let link: any CardLink
        do { link = try readers.connect(to: reader) } catch { throw .link(error) }
        let token = try Token(reader: reader, link: link, settings: settings, history: channelHistory())
        connection = token
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

    func disconnect() {
        connection?.disconnect()
        connection = nil
    }

    // MARK: Sessions

    var hasReadOnlySession: Bool { sessions.readWriteCount < sessions.count }

    /// Opens a session. The token must be activated.
    func openSession(_ handle: CK_SESSION_HANDLE, isReadWrite: Bool) throws(CKError) {
        guard isReadWrite || login != .securityOfficer else { throw .sessionReadWriteSOExists }
        // Entered before the token is asked, so that the connection stays.
        sessions.insert(Session(handle: handle, isReadWrite: isReadWrite, slot: self))
        do throws(CKError) {
            try withToken { token throws(TokenError) in try token.prepare() }
        } catch {
            closeSession(handle)
            throw error
        }
    }

    /// Closes a session and destroys its objects. With the last one the login ends and the token is let go.
    func closeSession(_ handle: CK_SESSION_HANDLE) {
        sessions.remove(handle)
        objects.removeAll { $0.session == handle }
        if sessions.isEmpty { closeAllSessions() }
    }

    func closeAllSessions() { end(as: .normal) }

    /// Ends all sessions; their handles and those of their objects are never used again.
    func end(as presence: TokenPresence) {
        sessions.removeAll()
        objects.removeAll { _ in true }
        known = nil
        disconnect()
        self.presence = presence
    }

    // MARK: Login

    /// Operations with private keys, and private objects of sessions, end with the login.
    func loginEnded() {
        objects.removeAll { $0.isPrivate }
        known = nil
        for session in sessions.all { session.loginEnded() }
    }
}
