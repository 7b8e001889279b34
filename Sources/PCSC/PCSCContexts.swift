// SPDX-License-Identifier: Apache-2.0
import APDU
import Locking

/// The contexts that this process has with the smart card service, which serves 200 of them to all processes together.
///
/// One serves everything that is done one after the other. Others exist only for things that are done at the same time:
/// a second connected card, a wait for a reader while a card is connected, a look at the readers while a command runs.
/// Otherwise a card would wait for another one's commands.
final class PCSCContexts: Sendable {
    private struct State {
        var home: PCSCContext?
        /// Whether a card or a wait has the home context.
        var isLeased = false
        /// The contexts of other cards and waits.
        var others: [PCSCContext] = []
        /// Whether the last attempt to make a context was refused, after all the waiting.
        var isRefused = false
    }

    private let state = Lock(State())
    private let clocks: Clocks

    /// The time for which a refused context is tried again, because other processes' contexts end.
    private static let patience = Duration.seconds(1)

    init(clocks: Clocks = .system) { self.clocks = clocks }

    /// A context for one card, or for one wait, for as long as the lease is kept.
    final class Lease {
        let context: PCSCContext
        private let contexts: PCSCContexts

        fileprivate init(_ context: PCSCContext, of contexts: PCSCContexts) {
            self.context = context
            self.contexts = contexts
        }

        deinit { contexts.end(context) }
    }

    /// - Throws: `LinkError/refused` after a second in which the service made no further context.
    func lease() throws(LinkError) -> Lease {
        let home = try home()
        let isFree = state.withLock { state in
            guard state.home === home, !state.isLeased else { return false }
            state.isLeased = true
            return true
        }
        if isFree { return Lease(home, of: self) }
        let other = try make()
        state.withLock { $0.others.append(other) }
        return Lease(other, of: self)
    }

    /// Ends a lease. If another one is left, its context is home from then on.
    private func end(_ context: PCSCContext) {
        state.withLock { state in
            guard state.home === context else { return state.others.removeAll { $0 === context } }
            state.isLeased = !state.others.isEmpty
            if state.isLeased { state.home = state.others.removeFirst() }
        }
    }

    /// The states of the readers now. No command of a card is waited for.
    func readerStates() throws(LinkError) -> [ReaderState] {
        let home = try home()
        if let states = try home.readerStatesIfAvailable() { return states }
        let other: PCSCContext
        do throws(LinkError) {
            other = try PCSCContext()
        } catch {
            // A look alone gets no further context.
            guard error == .refused || error == .rootChanged else { throw error }
            return try home.readerStates()
        }
        return try other.readerStates()
    }

    /// Forgets the present contexts, which a restarted service does not know.
    func renew() {
        state.withLock { state in
            state.home = nil
            state.isLeased = false
            state.others = []
        }
    }

    private func home() throws(LinkError) -> PCSCContext {
        if let home = state.withLock({ $0.home }) { return home }
        let made = try make()
        return state.withLock { state in
            let home = state.home ?? made
            state.home = home
            return home
        }
    }

    /// A new context. A service that hangs up before its first answer may be ending, or starting: it is asked again
    /// for a while, but not by every call. The time counts from the first refusal, for which an ending service needs
    /// seconds.
    private func make() throws(LinkError) -> PCSCContext {
        let patience = state.withLock { $0.isRefused } ? .zero : Self.patience
        var end: Duration?
        while true {
            do throws(LinkError) {
                let context = try PCSCContext()
                state.withLock { $0.isRefused = false }
                return context
            } catch {
                guard error == .refused else { throw error }
                let now = clocks.awake.now
                let last = end ?? now + patience
                end = last
                guard now < last else {
                    state.withLock { $0.isRefused = true }
                    throw error
                }
                clocks.pause(.milliseconds(50))
            }
        }
    }
}
