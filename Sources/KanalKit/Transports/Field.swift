// SPDX-License-Identifier: Apache-2.0
import Locking

/// The field session of a transport whose cards are there for a while only. Work within a field session uses the open
/// one.
final class Field: Sendable {
    private struct State {
        var depth = 0
        var isOpen = false
        /// Whether the user closed it, or its time is over.
        var hasEnded = false
    }

    private let transport: (any Transport)?
    private let state = Lock(State())

    /// - Parameter transport: Nil for one that has no fields.
    init(_ transport: (any Transport)?) { self.transport = transport }

    var hasTransport: Bool { transport != nil }
    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Whether cards cannot be reached any more, because the field that they were in is closed.
    var isOver: Bool { state.withLock { $0.hasEnded } }

    func hasEnded() { state.withLock { $0.hasEnded = $0.isOpen } }

    /// Runs `body` while the field is open.
    ///
    /// - Parameter message: The text for the user.
    func within<Result>(_ message: String, _ body: () throws -> Result) throws -> Result {
        try enter(message)
        do {
            let result = try body()
            leave(.success)
            return result
        } catch {
            leave(.failure((error as? KanalError)?.description ?? "it was not done"))
            throw error
        }
    }

    /// Opens the field, unless it is open.
    func enter(_ message: String) throws(KanalError) {
        guard let transport else { return }
        let isFirst = state.withLock { state in
            state.depth += 1
            return state.depth == 1
        }
        guard isFirst else { return }
        do throws(TransportError) {
            let isOpen = try transport.openField(message: message)
            state.withLock { state in
                state.isOpen = isOpen
                state.hasEnded = false
            }
        } catch {
            state.withLock { $0.depth -= 1 }
            throw error == .fieldClosed ? .cancelled : .notStarted(.transportOff)
        }
    }

    /// Closes the field that was opened for this.
    func leave(_ outcome: FieldOutcome) {
        guard let transport else { return }
        let isLast = state.withLock { state in
            state.depth -= 1
            guard state.depth == 0, state.isOpen else { return false }
            state.isOpen = false
            return true
        }
        if isLast { transport.closeField(outcome) }
    }

    /// Lets the cards in the field go, because they are not those that are wanted.
    func refuseCards(_ message: String) {
        guard let transport, state.withLock({ $0.isOpen && !$0.hasEnded }) else { return }
        try? transport.restartPolling(message: message)
    }

    /// The error of work with a token, which is the field's end if that has taken the token away.
    func reason(of error: KanalError) -> KanalError { error == .tokenAbsent && isOver ? .fieldEnded : error }
}
