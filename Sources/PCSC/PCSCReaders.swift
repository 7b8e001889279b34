// SPDX-License-Identifier: Apache-2.0

package import APDU
import CPCSC
import HostProcess
import Locking

/// The readers that pcscd knows.
package final class PCSCReaders: ReaderService {
    private struct State {
        /// The service's last answer, and its time.
        var seen: [ReaderState] = []
        var time: Duration?
        /// The reason why the service does not serve this process; nil while it does.
        var reason: LinkError?
    }

    private let state = Lock(State())
    private let contexts = PCSCContexts()
    private let unserved: @Sendable (LinkError) -> Void
    /// The time for which calls wait for another process's transaction.
    private let patience: Duration
    /// Questions for readers that the service has not answered in time: one for each reader, as each keeps a connection.
    private let inquiries = Lock<[String: ReaderInquiry]>([:])

    /// The time for which the service's answer is recent. The service polls its readers less often.
    private static let freshness = Duration.milliseconds(20)

    /// - Parameters:
    ///   - patience: The time for which calls wait for a card that another process keeps in a transaction.
    ///   - unserved: Is called when the smart card service turns out not to serve this process: `noService` if
    ///     it does not run, `refused` if it refuses, `incompatible` if it is of another version, `noLibrary`,
    ///     `redirected` or `rootChanged` if it cannot, or must not, be looked for.
    package init(
        patience: Duration = .seconds(60), unserved: @escaping @Sendable (LinkError) -> Void = { _ in }
    ) {
        self.patience = patience
        self.unserved = unserved
    }

    /// All readers; none without a smart card service. A service that refuses this process is an error.
    package func readers() throws(LinkError) -> [ReaderState] {
        try state.withLock { state throws(LinkError) in try refresh(&state) }
    }

    package func recentReaders() throws(LinkError) -> [ReaderState] {
        try state.withLock { state throws(LinkError) in
            if let time = state.time, Uptime.system.now - time < Self.freshness { return state.seen }
            return try refresh(&state)
        }
    }

    package var obstacle: LinkError? { state.withLock { $0.reason } }

    package var isNew: Bool { obstacle == nil && ServiceSocket.isNew }

    private func refresh(_ state: inout State) throws(LinkError) -> [ReaderState] {
        state.time = nil
        let seen = try askService(&state)
        // Equal lists share memory, so that it is quick to see that nothing has changed.
        if state.seen != seen { state.seen = seen }
        state.time = Uptime.system.now
        return state.seen
    }

    private func askService(_ state: inout State) throws(LinkError) -> [ReaderState] {
        // A restarted service knows nothing of the old context, and a reader may go between two questions: it is asked
        // once more, with a new context.
        var failure = LinkError.noService
        for _ in 0..<2 {
            do throws(LinkError) {
                let states = try contexts.readerStates()
                state.reason = nil
                return states
            } catch {
                failure = error
                guard failure == .noService || !failure.isObstacle else { break }
                if failure != .noCard { contexts.renew() }
            }
        }
        note(failure, &state)
        guard failure.isObstacle, failure != .refused else { throw failure }
        return []
    }

    private func note(_ failure: LinkError, _ state: inout State) {
        guard failure.isObstacle else { return }
        if state.reason != failure { unserved(failure) }
        state.reason = failure
    }

    package func connect(to reader: String) throws(LinkError) -> any CardLink {
        try connect { lease throws(LinkError) in
            try waitForOthers(at: reader, lease.context)
            return try PCSCCard(reader: reader, lease: lease, patience: patience)
        }
    }

    /// Waits until SCardConnect would be answered, which has to wait for other processes' transactions. Without other
    /// connections to the reader it has no reader.
    private func waitForOthers(at reader: String, _ context: PCSCContext) throws(LinkError) {
        guard try context.state(of: reader).isShared else { return }
        let inquiry = inquiries.withLock { $0.removeValue(forKey: reader) } ?? ReaderInquiry(reader)
        switch inquiry.canConnect(within: patience) {
        case .ready: return
        case .silent: throw .noService
        case .waiting:
            inquiries.withLock { $0[reader] = inquiry }
            throw .kept
        }
    }

    func connect<Card>(_ make: (PCSCContexts.Lease) throws(LinkError) -> Card) throws(LinkError) -> Card {
        do throws(LinkError) {
            return try make(try contexts.lease())
        } catch {
            // A restarted service does not know the old context.
            if error == .noService { contexts.renew() }
            state.withLock { note(error, &$0) }
            throw error
        }
    }

    /// A watch on a context of its own, so that others can look at the readers during it.
    package func watch() -> (any ReaderWatch)? {
        do { return PCSCWatch(lease: try contexts.lease()) } catch { return nil }
    }
}

/// Waits for changes of readers (`SCardGetStatusChange`).
@safe
final class PCSCWatch: ReaderWatch {
    /// The name that stands for the list of readers itself.
    private static let readerList = "\\\\?PnP?\\Notification"

    private let lease: PCSCContexts.Lease
    private var context: PCSCContext { lease.context }
    private var names = CStrings([])
    private var states: [SCARD_READERSTATE] = unsafe []

    init(lease: PCSCContexts.Lease) { self.lease = lease }

    func note() throws(LinkError) {
        unsafe states = []
        names = CStrings(try context.readerNames() + [Self.readerList])
        unsafe states = unsafe PCSCContext.unknownStates(of: names)
        // Nothing is known yet of the readers, so that their states come at once.
        try wait(atMost: .zero)
        for index in unsafe states.indices {
            unsafe states[index].dwCurrentState = states[index].dwEventState & ~DWORD(SCARD_STATE_CHANGED)
        }
    }

    func wait(atMost limit: Duration) throws(LinkError) {
        let parts = limit.components
        let milliseconds = parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
        let code = unsafe states.withUnsafeMutableBufferPointer { buffer in
            context.call(.long) {
                unsafe context.pcsc.SCardGetStatusChange(
                    context.handle, DWORD(clamping: milliseconds), buffer.baseAddress, DWORD(buffer.count))
            }
        }
        // A reader that went before the wait began is a change as well.
        if code != SCARD_E_TIMEOUT, code != SCARD_E_UNKNOWN_READER { try check(code) }
    }
}
