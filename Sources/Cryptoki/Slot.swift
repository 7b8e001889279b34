import APDU
import CCryptoki
import SecureChannel
import Token

/// One reader, the token in it, and this application's sessions with that token.
///
/// Reached only under the lock that the library keeps for each slot.
final class Slot {
    let reader: String
    private let readers: any ReaderService
    let settings: TokenSettings

    private var connection: Token?
    private var instance: Instance?
    private var sessions: [CK_SESSION_HANDLE: Session] = [:]
    /// Objects of the token and of its sessions.
    var objects = HandleTable<Object>(notFound: .objectHandleInvalid)

    init(reader: String, readers: any ReaderService, settings: TokenSettings) {
        self.reader = reader
        self.readers = readers
        self.settings = settings
    }

    // MARK: Token

    /// Runs `body` with the token, connected. Without a session the connection ends with the call.
    func withToken<Result>(_ body: (Token) throws(TokenError) -> Result) throws(CKError) -> Result {
        do {
            let token = try connected()
            defer { if sessions.isEmpty { disconnect() } }
            return try body(token)
        } catch {
            if error.isAbsence { tokenIsGone() }
            throw CKError(error)
        }
    }

    /// Who is logged in to the token.
    var login: Token.Role? { connection?.login }

    private func connected() throws(TokenError) -> Token {
        if let connection { return connection }
        let link: any CardLink
        do { link = try readers.connect(to: reader) } catch { throw .link(error) }
        let token = try Token(reader: reader, link: link, settings: settings, instance: processInstance())
        connection = token
        return token
    }

    /// The same for as long as this process knows the slot, so that the token can tell its sessions from others'.
    private func processInstance() throws(TokenError) -> Instance {
        if let instance { return instance }
        do {
            let instance = try Instance(random: settings.random)
            self.instance = instance
            return instance
        } catch {
            throw .channel(error)
        }
    }

    private func disconnect() {
        connection?.disconnect()
        connection = nil
    }

    /// Removal ends all sessions; their handles and those of their objects are never used again.
    private func tokenIsGone() {
        connection = nil
        sessions = [:]
        objects.removeAll { _ in true }
    }

    // MARK: Sessions

    var sessionCount: Int { sessions.count }
    var readWriteSessionCount: Int { sessions.values.count { $0.isReadWrite } }
    var hasReadOnlySession: Bool { sessions.values.contains { !$0.isReadWrite } }

    /// Opens a session. The token must be activated.
    func openSession(_ handle: CK_SESSION_HANDLE, isReadWrite: Bool) throws(CKError) {
        guard isReadWrite || login != .securityOfficer else { throw .sessionReadWriteSOExists }
        // Entered before the token is asked, so that the connection stays.
        sessions[handle] = Session(handle: handle, isReadWrite: isReadWrite, slot: self)
        do throws(CKError) {
            try withToken { token throws(TokenError) in try token.prepare() }
        } catch {
            closeSession(handle)
            throw error
        }
    }

    func session(_ handle: CK_SESSION_HANDLE) throws(CKError) -> Session {
        guard let session = sessions[handle] else { throw .sessionHandleInvalid }
        return session
    }

    /// Closes a session and destroys its objects. With the last one the login ends and the token is let go.
    func closeSession(_ handle: CK_SESSION_HANDLE) {
        sessions[handle] = nil
        objects.removeAll { $0.session == handle }
        if sessions.isEmpty { closeAllSessions() }
    }

    func closeAllSessions() {
        sessions = [:]
        objects.removeAll { _ in true }
        disconnect()
    }

    /// A private key's operations end with the login that allowed them.
    func endPrivateOperations() {
        for session in sessions.values { session.signature = nil }
    }
}

extension TokenError {
    /// Whether the token is no longer there.
    fileprivate var isAbsence: Bool {
        switch self {
        case .link(let error), .channel(.link(let error)):
            switch error {
            case .noCard, .noService, .removed: true
            default: false
            }
        default: false
        }
    }
}
