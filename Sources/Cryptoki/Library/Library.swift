// SPDX-License-Identifier: Apache-2.0

package import APDU
package import CCryptoki
import Locking
package import Token
package import Tokens

/// The slots and sessions of this application. `C_Initialize` makes the library, and `C_Finalize` ends it.
///
/// Any number of threads can use it. A lock guards the tables and one guards each slot; neither is held while a card
/// works. Calls of one session come one after another, and so do calls that need the same token.
package final class Library: Sendable {
    /// The readers and their tokens.
    package let tokens: Slots
    private let tables = Lock(Tables())

    private struct Tables {
        /// This application's sessions with the token of each slot, by its number.
        var slots: [Monitored<Slot>] = []
        /// The slot of each session.
        var sessions = HandleTable<SessionPlace>(notFound: .sessionHandleInvalid)
        /// Whether the application has finalised the library, so that calls under way find no session.
        var isFinal = false
    }

    private struct SessionPlace {
        let id: CK_SLOT_ID
        let slot: Monitored<Slot>
    }

    /// - Parameter presenceChanged: Called when the presence of the token changes that a reader's sessions work with,
    ///   while no other thread has the slot.
    package init(
        readers: any ReaderService, settings: TokenSettings, interaction: UserInteraction = UserInteraction(),
        presenceChanged: @escaping @Sendable (_ reader: String, TokenPresence) -> Void = { _, _ in }
    ) {
        tokens = Slots(
            readers: readers, settings: settings, interaction: interaction, presenceChanged: presenceChanged)
    }

    // MARK: Slots

    /// The slots in their order. See `Slots.numbers`.
    package func slots(tokenPresent: Bool, isQuery: Bool) throws(CKError) -> [CK_SLOT_ID] {
        try tokens { slots throws(TokensError) in try slots.numbers(tokenPresent: tokenPresent, isQuery: isQuery) }
            .map(CK_SLOT_ID.init)
    }

    /// The present state of a slot.
    package func slot(_ id: CK_SLOT_ID) throws(CKError) -> SlotState {
        try tokens { slots throws(TokensError) in try slots.state(of: Int(clamping: id)) }
    }

    /// All readers with their cards. See `Slots.readerList`.
    package func readerList() throws(CKError) -> [ReaderReport] {
        try tokens { slots throws(TokensError) in try slots.readerList() }
    }

    /// The slot in which a token came or went. See `Slots.nextEvent`.
    ///
    /// - Throws: `CKR_NO_EVENT`; `CKR_CRYPTOKI_NOT_INITIALIZED` when another thread ends the library.
    package func waitForSlotEvent(waits: Bool) throws(CKError) -> CK_SLOT_ID {
        let slot = try tokens { slots throws(TokensError) in try slots.nextEvent(waits: waits) }
        guard let slot else { throw .noEvent }
        return CK_SLOT_ID(slot)
    }

    /// Runs `body` with the tokens, and maps its error.
    func tokens<Result: ~Copyable>(_ body: (Slots) throws(TokensError) -> Result) throws(CKError) -> Result {
        do throws(TokensError) { return try body(tokens) } catch { throw CKError(error) }
    }

    /// The sessions of a slot, for a call that is about to take its lock.
    ///
    /// - Parameter computes: As of `Slots.entry`.
    func sessions(of id: CK_SLOT_ID, computes: Bool = true) throws(CKError) -> Monitored<Slot> {
        let number = Int(clamping: id)
        let entry = try tokens { slots throws(TokensError) in try slots.entry(number, computes: computes) }
        if let known = tables.withLock({ $0.slots.indices.contains(number) ? $0.slots[number] : nil }) { return known }
        // All slots with a smaller number are known, too.
        let made = try tokens { slots throws(TokensError) in
            var made: [Monitored<TokenSlot>] = []
            for other in 0..<number { made.append(try slots.entry(other, computes: computes).slot) }
            return made + [entry.slot]
        }
        return tables.withLock { tables in
            for next in tables.slots.count..<max(made.count, tables.slots.count) {
                let slot = made[next].withLock { Slot($0, next, of: tokens) }
                tables.slots.append(Monitored(slot, in: slot.place.monitor))
            }
            return tables.slots[number]
        }
    }

    // MARK: Sessions

    /// Opens a session. If the token has to be activated before, the user is asked for the password, if that is wanted.
    package func openSession(with id: CK_SLOT_ID, flags: CK_FLAGS) throws(CKError) -> CK_SESSION_HANDLE {
        guard flags & CKF_SERIAL_SESSION != 0 else { throw .sessionParallelNotSupported }
        return try tokens.activating(Int(clamping: id)) { () throws(CKError) in
            try openSessionAtOnce(with: id, flags: flags)
        }
    }

    private func openSessionAtOnce(with id: CK_SLOT_ID, flags: CK_FLAGS) throws(CKError) -> CK_SESSION_HANDLE {
        try tokens { slots throws(TokensError) in
            try slots.refresh(recent: true)
            if flags & CKF_RW_SESSION != 0, try slots.isFolder(Int(clamping: id)) { throw .token(.readOnly) }
        }
        let slot = try sessions(of: id)
        let handle = tables.withLock { $0.sessions.insert(SessionPlace(id: id, slot: slot)) }
        do throws(CKError) {
            let ended = try slot.withLock { slot throws(CKError) in
                try slot.place.withoutSessions { () throws(CKError) in
                    try slot.openSession(handle, isReadWrite: flags & CKF_RW_SESSION != 0)
                }
                return slot.sessions.takeEnded()
            }
            forget(ended)
            return handle
        } catch {
            forget([handle])
            throw error
        }
    }

    package func closeSession(_ handle: CK_SESSION_HANDLE) throws(CKError) {
        defer { forget([handle]) }
        try place(of: handle).slot.withLock { slot throws(CKError) in
            let session = try slot.beginCall(of: handle)
            defer { slot.endCall(of: session) }
            slot.closeSession(handle)
        }
    }

    /// Closes all sessions but those that are just being opened.
    package func closeAllSessions(with id: CK_SLOT_ID) throws(CKError) {
        var ended: [CK_SESSION_HANDLE] = []
        try sessions(of: id).withLock { slot in
            slot.closeAllSessions()
            ended = slot.sessions.takeEnded()
        }
        forget(ended)
    }

    /// Closes all sessions with the token of this serial number, in whatever slot it is.
    func closeSessions(withToken serial: [UInt8]) throws(CKError) {
        var ended: [CK_SESSION_HANDLE] = []
        for number in tokens.numbers(withToken: serial) {
            try sessions(of: CK_SLOT_ID(number)).withLock { slot in
                guard slot.token?.serial == serial else { return }
                slot.closeAllSessions()
                ended += slot.sessions.takeEnded()
            }
        }
        forget(ended)
    }

    /// Runs `body` with a session, while no other call has it.
    ///
    /// An error ends the operations that `body` continues, from the caller's arguments to the answer. Two errors do
    /// not: `CKR_BUFFER_TOO_SMALL`, and the `CKR_OPERATION_ACTIVE` of a function for data in one part that meets an
    /// operation whose data came in parts, which it must not end (PKCS #11 v2.40, 5.8 to 5.14).
    ///
    /// - Parameter operations: All that must be active (`CKF_`); empty for a call that continues none.
    /// - Throws: `CKR_OPERATION_NOT_INITIALIZED` if one is not, which ends none; `CKR_SESSION_CLOSED` if the session
    ///   was closed in the meantime; the errors of `body`.
    package func withSession<Result>(
        _ handle: CK_SESSION_HANDLE, during operations: CK_FLAGS = 0, _ body: (Session) throws(CKError) -> Result
    ) throws(CKError) -> Result {
        let place = try place(of: handle)
        let slot = place.slot.enter()
        defer { place.slot.leave() }
        let session = try slot.beginCall(of: handle)
        defer { slot.endCall(of: session) }
        guard session.activeOperations & operations == operations else { throw .operationNotInitialised }
        do throws(CKError) {
            let result = try body(session)
            guard !session.isClosed else { throw .sessionClosed }
            return result
        } catch {
            if ![.bufferTooSmall, .operationActive].contains(error) { session.cancel(operations) }
            throw error
        }
    }

    /// The slot, state and flags of a session, which another call may have. Programs ask for them to learn whether the token
    /// is still there.
    package func sessionInfo(
        _ handle: CK_SESSION_HANDLE
    ) throws(CKError) -> (slot: CK_SLOT_ID, state: CK_STATE, flags: CK_FLAGS) {
        let place = try place(of: handle)
        try? tokens.refresh(recent: true)
        return try place.slot.withLock { slot throws(CKError) in
            slot.place.noticeRemoval()
            let session = try slot.sessions[handle]
            return (place.id, session.state, session.flags)
        }
    }

    /// The slot of a session.
    func slot(of handle: CK_SESSION_HANDLE) throws(CKError) -> CK_SLOT_ID { try place(of: handle).id }

    private func place(of handle: CK_SESSION_HANDLE) throws(CKError) -> SessionPlace {
        try tables.withLock { tables throws(CKError) in
            guard !tables.isFinal else { throw .notInitialised }
            return try tables.sessions[handle]
        }
    }

    private func forget(_ handles: [CK_SESSION_HANDLE]) {
        tables.withLock { tables in
            for handle in handles { _ = try? tables.sessions.remove(handle) }
        }
    }

    /// Lets a call that waits for an absent token give up, and later ones as well, until it is taken back.
    package func abandonWaits(in id: CK_SLOT_ID, _ isAbandoned: Bool) {
        tokens.abandonWaits(in: Int(clamping: id), isAbandoned)
    }

    // MARK: End

    /// The time for which the end of the library waits for calls that are under way.
    private static let endLimit = Duration.seconds(5)

    /// Closes everything. Waits for the calls under way in other threads, unless a card is too slow: such a call
    /// keeps what it uses until it ends. A card that does not answer keeps its connection until the process ends.
    package func finalize() {
        let slots = tables.withLock { tables in
            defer {
                tables = Tables()
                tables.isFinal = true
            }
            return tables.slots
        }
        let deadline = Clocks.system.awake.now + Self.endLimit
        for slot in slots {
            slot.withLock { slot in
                slot.place.endOfWork = deadline
                slot.closeAllSessions()
            }
        }
        tokens.end(until: deadline)
    }
}
