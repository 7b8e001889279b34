// SPDX-License-Identifier: Apache-2.0
import CCryptoki

/// The sessions of one slot.
struct SlotSessions {
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

    /// The handles of sessions that ended together since the last time. One that was being opened then may be open now.
    mutating func takeEnded() -> [CK_SESSION_HANDLE] {
        defer { ended = [] }
        return ended.filter { sessions[$0] == nil }
    }
}
