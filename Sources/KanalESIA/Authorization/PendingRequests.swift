// SPDX-License-Identifier: Apache-2.0

import KanalKit
import Locking
import Logging
import Secrets
import Translation

/// The requests of a process that wait for an answer, and the last that have ended.
final class PendingRequests: Sendable {
    private struct Waiting {
        let number: Int
        let state: String
        let kind: AuthorizationRequest.Kind
        let continuation: AsyncStream<AuthorizationRequest.End>.Continuation
    }

    private struct Table {
        var waiting: [Waiting] = []
        /// The oldest first.
        var ended: [(state: String, isAnswered: Bool)] = []
        var lastNumber = 0

        mutating func end(at index: Int, isAnswered: Bool) -> Waiting {
            let request = waiting.remove(at: index)
            ended.append((request.state, isAnswered))
            if ended.count > PendingRequests.memory { ended.removeFirst() }
            return request
        }
    }

    /// The number of ended requests that are remembered.
    private static let memory = 64

    private let table = Lock(Table())
    private let log: Logger?

    init(log: Logger?) { self.log = log }

    /// Begins a request.
    ///
    /// - Returns: Its number, and its end when it comes. Nil if its state was used before.
    func begin(_ request: AuthorizationRequest) -> (number: Int, end: AsyncStream<AuthorizationRequest.End>)? {
        let (stream, continuation) = AsyncStream.makeStream(of: AuthorizationRequest.End.self)
        let number: Int? = table.withLock { table in
            let states = table.waiting.map(\.state) + table.ended.map(\.state)
            guard !states.contains(where: { Self.isSame($0, request.state) }) else { return nil }
            table.lastNumber += 1
            table.waiting.append(
                Waiting(
                    number: table.lastNumber, state: request.state, kind: request.kind, continuation: continuation))
            return table.lastNumber
        }
        return number.map { ($0, stream) }
    }

    /// Ends a request without an answer, if it still waits.
    func end(_ number: Int, _ error: AuthorizationError) {
        let request = table.withLock { table -> Waiting? in
            guard let index = table.waiting.firstIndex(where: { $0.number == number }) else { return nil }
            return table.end(at: index, isAnswered: false)
        }
        request?.continuation.yield(.failure(error))
        request?.continuation.finish()
    }

    /// Ends the request that an answer belongs to. If none matches, the refusal is logged, and nothing ends.
    ///
    /// - Returns: A closure that notifies the waiting program, which may end the process then.
    func take(_ url: String, callback: String) throws(CallbackError) -> @Sendable () -> Void {
        do throws(CallbackError) {
            let answer = try Answer(url: url, callback: callback)
            let (request, end) = try find(answer)
            return {
                request.continuation.yield(end)
                request.continuation.finish()
            }
        } catch {
            log?.warning("an answer of another application is refused: \(error)")
            throw error
        }
    }

    private func find(_ answer: Answer) throws(CallbackError) -> (Waiting, AuthorizationRequest.End) {
        try table.withLock { table throws(CallbackError) in
            // All are compared, so that the time reveals nothing about any.
            let matching = table.waiting.indices.filter { Self.isSame(table.waiting[$0].state, answer.state) }
            let former = table.ended.filter { Self.isSame($0.state, answer.state) }
            if let index = matching.first {
                let end = try answer.end(of: table.waiting[index].kind)
                return (table.end(at: index, isAnswered: true), end)
            }
            if let last = former.last { throw last.isAnswered ? .repeated : .late }
            throw table.waiting.isEmpty ? .notAwaited : .foreign
        }
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        return constantTimeEqual(left.span, right.span)
    }
}

/// A waiting program's reply to an answer, in one line: `taken`, or the refusal's name and, for a malformed one, the
/// reason.
enum Receipt: Equatable {
    case taken
    case refused(CallbackError)

    private static let refusals: [(name: String, refusal: CallbackError)] = [
        ("not-awaited", .notAwaited), ("foreign", .foreign), ("late", .late), ("repeated", .repeated),
        ("too-long", .tooLong),
    ]

    init?(_ line: String) {
        if line == "taken" {
            self = .taken
        } else if line.hasPrefix("malformed ") {
            self = .refused(.malformed(Explanation(Phrase(key: String(line.dropFirst(10))))))
        } else if let known = Self.refusals.first(where: { $0.name == line }) {
            self = .refused(known.refusal)
        } else {
            return nil
        }
    }

    var bytes: [UInt8] {
        let line: String =
            switch self {
            case .taken: "taken"
            case .refused(.malformed(let reason)): "malformed \(reason)"
            case .refused(let refusal): Self.refusals.first { $0.refusal == refusal }?.name ?? "not-awaited"
            }
        return Array((line + "\n").utf8)
    }

    /// Of several programs that refuse, the one with the greatest rank knows most of the answer.
    static func rank(_ refusal: CallbackError) -> Int {
        refusals.firstIndex { $0.refusal == refusal } ?? refusals.count
    }
}
