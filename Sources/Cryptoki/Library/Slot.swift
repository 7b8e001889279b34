// SPDX-License-Identifier: Apache-2.0
import Asking
import CCryptoki
import Locking
import Token
import Tokens

/// This application's sessions with the token in a reader, and the objects that they see.
///
/// Reached only inside of the monitor of its place, which a call leaves while the card works (`TokenSlot.inTurn`).
final class Slot: SlotSessions {
    let place: TokenSlot
    let number: Int
    let tokens: Slots
    var sessions = SessionTable()
    /// Objects of the token and of its sessions.
    var objects = HandleTable<Object>(notFound: .objectHandleInvalid) { didSet { known = nil } }
    /// The token's objects when `objects` was last updated; nil if it has changed since then.
    var known: [TokenObject]?

    init(_ place: TokenSlot, _ number: Int, of tokens: Slots) {
        (self.place, self.number, self.tokens) = (place, number, tokens)
        place.sessions = self
    }

    var settings: TokenSettings { place.settings }
    /// The role that is logged in to the token.
    var login: ConnectedToken.Role? { place.login }
    /// The token's state when the last turn ended; nil without a connection.
    var token: TokenLease.State? { place.turn.state }

    /// Runs `body` with the token, for a session: see `TokenSlot.withTokenInSession`.
    func withToken<Result: ~Copyable & Sendable>(
        waits: Bool = true, usesKey: Bool = false, _ body: @Sendable (ConnectedToken) throws(TokenError) -> Result
    ) throws(CKError) -> Result {
        do throws(TokensError) {
            try place.takeTurnInSession()
            defer { place.giveTurn() }
            return try place.inTurn(waits: waits, usesKey: usesKey, body)
        } catch {
            throw CKError(error)
        }
    }

    // MARK: Sessions

    var isEmpty: Bool { sessions.isEmpty }
    var hasReadOnlySession: Bool { sessions.readWriteCount < sessions.count }

    /// Opens a session. The token must be activated.
    func openSession(_ handle: CK_SESSION_HANDLE, isReadWrite: Bool) throws(CKError) {
        // Entered before the token is asked, so that the connection stays.
        sessions.insert(Session(handle: handle, isReadWrite: isReadWrite, slot: self))
        do throws(CKError) {
            try place.prepareForSession { () throws(CKError) in
                guard isReadWrite || self.login != .securityOfficer else { throw .sessionReadWriteSOExists }
            }
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

    func closeAllSessions() {
        for session in sessions.all { session.isClosed = true }
        place.end(as: .normal)
    }

    /// A session, as soon as no other call has it.
    func beginCall(of handle: CK_SESSION_HANDLE) throws(CKError) -> Session {
        while sessions.isBusy(handle) { place.monitor.wait() }
        let session = try sessions[handle]
        sessions.setBusy(handle, true)
        return session
    }

    func endCall(of session: Session) {
        // Objects that a call makes after the end of its session have no owner.
        if session.isClosed { objects.removeAll { $0.session == session.handle } }
        sessions.setBusy(session.handle, false)
        place.monitor.tellOfChange()
    }

    /// Runs `body` as if between two calls, with nothing held.
    ///
    /// - Throws: The errors of `body`; `CKR_SESSION_HANDLE_INVALID` if the session was closed in the meantime.
    func pauseCall(of session: Session, _ body: () throws(TokensError) -> Void) throws(CKError) {
        endCall(of: session)
        var failure: TokensError?
        place.monitor.outside {
            do throws(TokensError) { try body() } catch { failure = error }
        }
        let isOpen = (try? beginCall(of: session.handle)) != nil
        if let failure { throw CKError(failure) }
        guard isOpen else { throw .sessionHandleInvalid }
    }

    /// Ends all sessions; their handles and their objects' handles are never used again.
    func end() {
        sessions.removeAll()
        objects.removeAll { _ in true }
    }

    /// Operations with private keys, and private objects of sessions, end with the login.
    func loginEnded() {
        objects.removeAll { $0.isPrivate }
        for session in sessions.all { session.loginEnded() }
    }
}

/// The sessions of one slot.
struct SessionTable {
    /// Digests that sessions have saved.
    var savedStates = SavedStates()
    private var sessions: [CK_SESSION_HANDLE: Session] = [:]
    private var ended: [CK_SESSION_HANDLE] = []
    private(set) var readWriteCount = 0
    /// Sessions that a call works with.
    private var busy: Set<CK_SESSION_HANDLE> = []

    var count: Int { sessions.count }
    var isEmpty: Bool { sessions.isEmpty }
    var all: some Collection<Session> { sessions.values }

    subscript(handle: CK_SESSION_HANDLE) -> Session {
        get throws(CKError) {
            guard let session = sessions[handle] else { throw .sessionHandleInvalid }
            return session
        }
    }

    func isBusy(_ handle: CK_SESSION_HANDLE) -> Bool { busy.contains(handle) }

    /// A call begins to work with a session, and ends.
    mutating func setBusy(_ handle: CK_SESSION_HANDLE, _ isBusy: Bool) {
        if isBusy { busy.insert(handle) } else { busy.remove(handle) }
    }

    mutating func insert(_ session: Session) {
        sessions[session.handle] = session
        if session.isReadWrite { readWriteCount += 1 }
    }

    mutating func remove(_ handle: CK_SESSION_HANDLE) {
        if sessions.removeValue(forKey: handle)?.isReadWrite == true { readWriteCount -= 1 }
        // A saved digest does not outlive the last session that could go on with it.
        if sessions.isEmpty { savedStates = SavedStates() }
    }

    /// Ends all of them together.
    mutating func removeAll() {
        ended += sessions.keys
        sessions = [:]
        readWriteCount = 0
        savedStates = SavedStates()
    }

    /// The handles of sessions that ended together since the last time. A session then being opened may be open now.
    mutating func takeEnded() -> [CK_SESSION_HANDLE] {
        defer { ended = [] }
        return ended.filter { sessions[$0] == nil }
    }
}
