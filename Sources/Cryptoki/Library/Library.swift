// SPDX-License-Identifier: Apache-2.0

package import APDU
package import CCryptoki
import HostCrypto
import Locking
import Logging
import Synchronization
package import Token

/// The slots and sessions of this application. `C_Initialize` makes the library, and `C_Finalize` ends it.
///
/// Any number of threads can use it. A lock guards the tables and one guards each slot; neither is held while a card
/// works. Calls of one session come one after another, and so do calls that need the same token.
package final class Library: Sendable {
    let readers: any ReaderService
    let settings: TokenSettings
    /// How the user is asked.
    let interaction: UserInteraction
    let presenceChanged: @Sendable (_ reader: String, TokenPresence) -> Void
    private let tables: Lock<Tables>
    private let libcrypto = LibcryptoUse()

    private struct Tables {
        /// A reader that was seen once keeps its slot, by its position.
        var slots: [Entry] = []
        /// The states of the readers at the last look.
        var seen: [ReaderState]?
        /// Whether the readers were looked at, so that later changes are events.
        var isKnown = false
        /// Whether the application was just told the number of slots, and will ask for the list.
        var isCounted = false
        /// The slot of each session.
        var sessions = HandleTable<CK_SLOT_ID>(notFound: .sessionHandleInvalid)
        /// Whether the application has finalised the library, so that calls under way find no slot.
        var isFinal = false
    }

    /// - Parameter presenceChanged: Is told of a change in the presence of the token that a reader's sessions work with,
    ///   while no other thread has the slot.
    package init(
        readers: any ReaderService, settings: TokenSettings, interaction: UserInteraction = UserInteraction(),
        presenceChanged: @escaping @Sendable (_ reader: String, TokenPresence) -> Void = { _, _ in }
    ) {
        self.readers = readers
        self.settings = settings
        self.interaction = interaction
        self.presenceChanged = presenceChanged
        tables = Lock(Tables())
    }

    // MARK: Slots

    /// The slots in their order.
    ///
    /// - Parameters:
    ///   - tokenPresent: Whether to leave out slots without a token that this library drives.
    ///   - isQuery: Whether the application asks for their number only. The list after that has the slots that were
    ///     counted, so that it fits. Any other list is new.
    package func slots(tokenPresent: Bool, isQuery: Bool) throws(CKError) -> [CK_SLOT_ID] {
        let isCounted = tables.withLock { tables in
            defer { tables.isCounted = isQuery }
            return tables.isCounted && !isQuery
        }
        if !isCounted { try refresh(recent: true) }
        return tables.withLock { tables in
            tables.slots.indices.filter { !tokenPresent || tables.slots[$0].state.hasToken }.map(CK_SLOT_ID.init)
        }
    }

    /// Updates the table of slots from the readers.
    func refreshSlots() throws(CKError) { try refresh(recent: false) }

    private func refresh(recent: Bool) throws(CKError) {
        let states: [ReaderState]
        do { states = try recent ? readers.recentReaders() : readers.readers() } catch { throw CKError(error) }
        try tables.withLock { tables throws(CKError) in
            guard !tables.isFinal else { throw .notInitialised }
            let now = settings.clocks.uptime.now
            if recent, tables.seen == states {
                for entry in tables.slots { entry.signals.lastSeen.update(entry.reader, at: now) }
                return
            }
            tables.seen = states
            for index in tables.slots.indices {
                let name = tables.slots[index].reader.name
                tables.slots[index].update(states.first { $0.name == name })
            }
            for state in states {
                if let entry = tables.slots.first(where: { $0.reader.name == state.name }) {
                    entry.signals.lastSeen.update(state, at: now)
                } else {
                    var entry = Entry(state, self)
                    entry.hasEvent = tables.isKnown && state.atr != nil
                    tables.slots.append(entry)
                }
            }
            tables.isKnown = true
        }
    }

    /// The first slot with an event that the application does not know yet. From now on it counts as known.
    func takeEvent() -> CK_SLOT_ID? {
        tables.withLock { tables in
            guard let index = tables.slots.firstIndex(where: \.hasEvent) else { return nil }
            tables.slots[index].hasEvent = false
            return CK_SLOT_ID(index)
        }
    }

    /// The present state of a slot.
    package func slot(_ id: CK_SLOT_ID) throws(CKError) -> SlotState {
        try refresh(recent: true)
        guard let entry = known(id) else { throw .slotIDInvalid }
        return entry.state
    }

    /// A slot's entry, for a call that is about to take its lock.
    func entry(_ id: CK_SLOT_ID) throws(CKError) -> Entry {
        try libcrypto.prepare(settings.log)
        if let entry = known(id) { return entry }
        try refreshSlots()
        guard let entry = known(id) else { throw .slotIDInvalid }
        return entry
    }

    private func known(_ id: CK_SLOT_ID) -> Entry? {
        tables.withLock { tables in
            guard let index = Int(exactly: id), tables.slots.indices.contains(index) else { return nil }
            return tables.slots[index]
        }
    }

    // MARK: Sessions

    /// Opens a session. If the token has to be activated before, the user is asked for the password, if that is wanted.
    package func openSession(with id: CK_SLOT_ID, flags: CK_FLAGS) throws(CKError) -> CK_SESSION_HANDLE {
        guard flags & CKF_SERIAL_SESSION != 0 else { throw .sessionParallelNotSupported }
        do throws(CKError) { return try openSessionAtOnce(with: id, flags: flags) } catch {
            guard error == .functionNotSupported else { throw error }
            try askForActivation(of: id, otherwise: error)
            return try openSessionAtOnce(with: id, flags: flags)
        }
    }

    private func openSessionAtOnce(with id: CK_SLOT_ID, flags: CK_FLAGS) throws(CKError) -> CK_SESSION_HANDLE {
        try refresh(recent: true)
        let slot = try entry(id).slot
        let handle = tables.withLock { $0.sessions.insert(id) }
        do throws(CKError) {
            let ended = try slot.withLock { slot throws(CKError) in
                try slot.withoutSessions { () throws(CKError) in
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
        try entry(slot(of: handle)).slot.withLock { slot throws(CKError) in
            let session = try slot.beginCall(of: handle)
            defer { slot.endCall(of: session) }
            slot.closeSession(handle)
        }
    }

    /// Closes all sessions but those that are just being opened.
    package func closeAllSessions(with id: CK_SLOT_ID) throws(CKError) {
        var ended: [CK_SESSION_HANDLE] = []
        try entry(id).slot.withLock { slot in
            slot.closeAllSessions()
            ended = slot.sessions.takeEnded()
        }
        forget(ended)
    }

    /// Closes all sessions with the token of this serial number, in whatever slot it is.
    func closeSessions(withToken serial: [UInt8]) {
        let entries = tables.withLock { $0.slots }.filter { $0.signals.token.withLock { $0 } == serial }
        var ended: [CK_SESSION_HANDLE] = []
        for entry in entries {
            entry.slot.withLock { slot in
                guard slot.turn.state?.serial == serial else { return }
                slot.closeAllSessions()
                ended += slot.sessions.takeEnded()
            }
        }
        forget(ended)
    }

    /// Runs `body` with a session, while no other call has it.
    ///
    /// An error ends the operations that `body` takes a step of, from the caller's arguments to the answer. Two errors do
    /// not: `CKR_BUFFER_TOO_SMALL`, and the `CKR_OPERATION_ACTIVE` of a function for data in one part that meets an
    /// operation whose data came in parts, which it must not end (PKCS #11 v2.40, 5.8 to 5.14).
    ///
    /// If `body` uses a private key, and the user's consent is wanted for that, `body` ends, the user is asked with nothing held, and
    /// `body` runs again.
    ///
    /// - Parameter operations: All that must be active (`CKF_`); none for a call that takes a step of none.
    /// - Throws: `CKR_OPERATION_NOT_INITIALIZED` if one is not, which ends none; `CKR_SESSION_CLOSED` if the session
    ///   was closed in the meantime; the errors of `body`.
    package func withSession<Result>(
        _ handle: CK_SESSION_HANDLE, during operations: CK_FLAGS = 0, _ body: (Session) throws(CKError) -> Result
    ) throws(CKError) -> Result {
        let id = try slot(of: handle)
        var consent: KeyUse?
        while true {
            let outcome: Outcome<Result> = try entry(id).slot.withLock { slot throws(CKError) in
                let session = try slot.beginCall(of: handle)
                defer { slot.endCall(of: session) }
                guard session.activeOperations & operations == operations else { throw .operationNotInitialised }
                if let consent { session.consent.give(to: consent) }
                do throws(CKError) {
                    let result = try body(session)
                    guard !session.isClosed else { throw .sessionClosed }
                    return .done(result)
                } catch {
                    // A user is asked for one use once.
                    if let draft = session.consent.takeDraft(), consent == nil {
                        return .wantsConsent(draft, try session.facts())
                    }
                    if ![.bufferTooSmall, .operationActive].contains(error) { session.cancel(operations) }
                    throw error
                }
            }
            switch outcome {
            case .done(let result): return result
            case .wantsConsent(let draft, let facts):
                do throws(CKError) { try askConsent(to: draft, of: facts, in: id) } catch {
                    try withSession(handle) { session throws(CKError) in session.cancel(operations) }
                    throw error
                }
                consent = draft
            }
        }
    }

    /// The outcome of one run of a session's function.
    private enum Outcome<Result> {
        case done(Result)
        case wantsConsent(KeyUse, TokenFacts)
    }

    /// The slot, state and flags of a session, which another call may have.
    package func sessionInfo(
        _ handle: CK_SESSION_HANDLE
    ) throws(CKError) -> (slot: CK_SLOT_ID, state: CK_STATE, flags: CK_FLAGS) {
        let id = try slot(of: handle)
        return try entry(id).slot.withLock { slot throws(CKError) in
            let session = try slot.sessions[handle]
            return (id, session.state, session.flags)
        }
    }

    /// The slot of a session.
    func slot(of handle: CK_SESSION_HANDLE) throws(CKError) -> CK_SLOT_ID {
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
        known(id)?.signals.isAbandoned.withLock { $0 = isAbandoned }
    }

    // MARK: End

    /// The time for which the end of the library waits for calls that are under way.
    private static let endLimit = Duration.seconds(5)

    /// Closes everything. Calls that are under way in other threads are waited for, unless a card takes too long.
    package func finalize() {
        let entries = tables.withLock { tables in
            defer {
                tables = Tables()
                tables.isFinal = true
            }
            return tables.slots
        }
        let deadline = Clocks.system.awake.now + Self.endLimit
        for entry in entries {
            entry.slot.withLock { slot in
                slot.closeAllSessions()
                slot.waitForTurn(until: deadline)
            }
        }
    }
}

extension Library {
    /// The longest wait before a look whether the library was ended.
    private static let waitLimit = Duration.milliseconds(250)

    /// The slot in which a token came or went since the last event, or since the first look at the readers. Any number
    /// of threads can wait, without holding a lock.
    ///
    /// - Parameter waits: Whether to wait for the next event if nothing has happened.
    /// - Throws: `CKR_NO_EVENT`; `CKR_CRYPTOKI_NOT_INITIALIZED` when another thread ends the library.
    package func waitForSlotEvent(waits: Bool) throws(CKError) -> CK_SLOT_ID {
        var watch: (any ReaderWatch)?
        while true {
            // Noted before the look, so that no change in between is missed.
            if waits, watch == nil { watch = readers.watch() }
            let isNoted = (try? watch?.note()) != nil
            if !isNoted { watch = nil }
            try refreshSlots()
            if let slot = takeEvent() { return slot }
            guard waits else { throw .noEvent }
            if isNoted, (try? watch?.wait(atMost: Self.waitLimit)) != nil { continue }
            watch = nil
            settings.clocks.pause(Self.waitLimit)
        }
    }
}

/// How a library uses the process's libcrypto.
final class LibcryptoUse: Sendable {
    private let isLogged = Atomic(false)

    /// Has libcrypto read the process's configuration before a lock is taken, and logs once which one is used, or why none is.
    ///
    /// - Throws: `CKR_HOST_MEMORY` if there are neither descriptors nor memory to load it by.
    func prepare(_ log: Logger) throws(CKError) {
        guard LibraryContext.prepare() else { throw .hostMemory }
        guard !isLogged.load(ordering: .relaxed), !isLogged.exchange(true, ordering: .relaxed) else { return }
        let presence = LibraryContext.presence
        switch presence {
        case .version(let number): log.notice("libcrypto.so.\(number) is used")
        case .absent, .incomplete: log.warning("\(Reason(presence) ?? "")")
        }
    }
}
