public import APDU
import Locking

/// The readers that pcscd knows.
///
/// Each connected card has a context of its own, so that a slow card holds up nobody else.
public final class PCSCReaders: ReaderService {
    private struct State {
        var context: PCSCContext?
        /// What the service said last, and when that was.
        var seen: [ReaderState] = []
        var time: Duration?
        /// Why the service does not serve this process; nil while it does.
        var refusal: LinkError?
    }

    private let state = Lock(State())
    private let unserved: @Sendable (LinkError) -> Void

    /// How long what the service said serves as recent. It looks at its own readers less often.
    private static let freshness = Duration.milliseconds(20)

    /// - Parameter unserved: Is told when the smart card service turns out not to serve this process: `noService` if it
    ///   does not run, another error if it refuses.
    public init(unserved: @escaping @Sendable (LinkError) -> Void = { _ in }) { self.unserved = unserved }

    /// All readers. Without a smart card service there are none.
    public func readers() throws(LinkError) -> [ReaderState] {
        try state.withLock { state throws(LinkError) in try look(&state) }
    }

    public func recentReaders() throws(LinkError) -> [ReaderState] {
        try state.withLock { state throws(LinkError) in
            if let time = state.time, Uptime.system.now - time < Self.freshness { return state.seen }
            return try look(&state)
        }
    }

    private func look(_ state: inout State) throws(LinkError) -> [ReaderState] {
        state.time = nil
        let seen = try askService(&state)
        // Equal lists shall be one, so that it is quick to see that nothing has changed.
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
                let current = if let context = state.context { context } else { try PCSCContext() }
                state.context = current
                let states = try current.states(of: current.readerNames())
                state.refusal = nil
                return states
            } catch {
                state.context = nil
                failure = error
            }
        }
        guard failure.isRefusal else { throw failure }
        if state.refusal != failure { unserved(failure) }
        state.refusal = failure
        return []
    }

    public func connect(to reader: String) throws(LinkError) -> any CardLink {
        try PCSCCard(reader: reader)
    }

    /// A watch with a context of its own, so that others can look at the readers meanwhile.
    public func watch() -> (any ReaderWatch)? {
        do { return try PCSCWatch() } catch { return nil }
    }
}
