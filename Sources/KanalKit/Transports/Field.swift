// SPDX-License-Identifier: Apache-2.0
import Locking

/// The field session of transports whose cards are there for a while only. Work within a field session uses the open
/// one.
final class Field: Sendable {
    private struct State {
        var depth = 0
        /// The transports whose fields are open.
        var open: Set<Int> = []
        /// Those whose fields the user closed, or whose time is over.
        var ended: Set<Int> = []
    }

    private let transports: [any Transport]
    private let state = Lock(State())
    /// Held while fields are opened or closed, so that work which comes meanwhile finds them open, or opens them.
    private let turn = Lock(())
    /// Whether tokens are reached by a transport, and by nothing else.
    let isOnlyWay: Bool
    /// Whether tokens are reached by a transport, too.
    var hasTransports: Bool { !transports.isEmpty }

    /// - Parameters:
    ///   - transports: The transports that may have fields.
    ///   - isOnlyWay: Whether other readers are absent.
    init(_ transports: [any Transport], isOnlyWay: Bool = true) {
        self.transports = transports
        self.isOnlyWay = isOnlyWay && !transports.isEmpty
    }

    /// Whether the field of a transport is open, ended or not.
    func isOpen(_ transport: any Transport) -> Bool {
        guard let number = number(of: transport) else { return false }
        return state.withLock { $0.open.contains(number) }
    }

    /// Whether cards cannot be reached any more, because the fields that they were in are closed.
    var isOver: Bool { state.withLock { !$0.open.isEmpty && $0.open == $0.ended } }

    /// Notes that the field of a transport was closed by the user, or its time is over.
    func hasEnded(_ transport: any Transport) {
        guard let number = number(of: transport) else { return }
        state.withLock { state in
            if state.open.contains(number) { state.ended.insert(number) }
        }
    }

    private func number(of transport: any Transport) -> Int? { transports.firstIndex { $0 === transport } }

    /// Runs `body` while the field is open.
    ///
    /// - Parameter message: The text for the user.
    func within<Result>(_ message: String, _ body: () throws -> Result) throws -> Result {
        try enter(message)
        do {
            let result = try body()
            leave(.success)
            return result
        } catch let error as KanalError {
            let reason = reason(of: error)
            leave(.failure(reason.description))
            throw reason
        } catch {
            leave(.failure("it was not done"))
            throw error
        }
    }

    /// Opens the fields, unless they are open. A transport that is off is left out if there are other ways to tokens.
    func enter(_ message: String) throws(KanalError) {
        try turn.withLock { _ throws(KanalError) in try open(message) }
    }

    private func open(_ message: String) throws(KanalError) {
        let isFirst = state.withLock { state in
            state.depth += 1
            return state.depth == 1
        }
        guard isFirst else { return }
        var open: Set<Int> = []
        for (number, transport) in transports.enumerated() {
            do throws(TransportError) {
                if try transport.openField(message: message) { open.insert(number) }
            } catch {
                guard error == .fieldClosed || isOnlyWay && transports.count == 1 else { continue }
                for number in open { transports[number].closeField(.failure(KanalError.cancelled.description)) }
                state.withLock { $0.depth -= 1 }
                throw error == .fieldClosed ? .cancelled : .notStarted(.transportOff)
            }
        }
        state.withLock { [open] state in (state.open, state.ended) = (open, []) }
    }

    /// Closes the fields that were opened for this.
    func leave(_ outcome: FieldOutcome) { turn.withLock { _ in close(outcome) } }

    private func close(_ outcome: FieldOutcome) {
        let open = state.withLock { state -> Set<Int> in
            state.depth -= 1
            guard state.depth == 0 else { return [] }
            defer { (state.open, state.ended) = ([], []) }
            return state.open
        }
        for number in open.sorted() { transports[number].closeField(outcome) }
    }

    /// Lets the cards in the fields go, because they are not those that are wanted.
    func refuseCards(_ message: String) {
        let open = state.withLock { $0.open.subtracting($0.ended) }
        for number in open.sorted() { try? transports[number].restartPolling(message: message) }
    }

    /// The error of work with a token, which is the field's end if that has taken the token away.
    func reason(of error: KanalError) -> KanalError {
        guard error == .tokenAbsent else { return error }
        if !isOver { look() }
        return isOver ? .fieldEnded : error
    }

    /// Asks the transports whether their fields have ended.
    private func look() {
        let open = state.withLock { $0.open.subtracting($0.ended) }
        for number in open.sorted() {
            do throws(TransportError) { _ = try transports[number].readers() } catch {
                if error == .fieldClosed { hasEnded(transports[number]) }
            }
        }
    }
}
