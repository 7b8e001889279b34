// SPDX-License-Identifier: Apache-2.0

import Configuration
import Dispatch
import KanalKit
import Terminal
import Translation

/// Runs what may hang: it is not waited for longer than its time, and what hangs is left to itself.
enum Deadline {
    /// The time limit of one step. A service that starts, and a card that does not answer, need some seconds.
    static let step = DispatchTimeInterval.seconds(6)

    /// Runs `body` in a thread of its own.
    ///
    /// - Returns: nil if it did not end in time, or the task was cancelled.
    static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result? {
        let (stream, continuation) = AsyncStream.makeStream(of: Result?.self)
        let context = ProgramContext.current
        DispatchQueue(label: "step").async {
            continuation.yield(ProgramContext.$current.withValue(context) { body() })
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + step) { continuation.yield(nil) }
        for await result in stream { return result }
        return nil
    }

    /// Runs what ends when its task is cancelled.
    static func run<Result: Sendable>(
        cancelling body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let task = Task { try await body() }
        DispatchQueue.global().asyncAfter(deadline: .now() + step) { task.cancel() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
