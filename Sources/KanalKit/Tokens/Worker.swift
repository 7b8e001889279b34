// SPDX-License-Identifier: Apache-2.0
import CHostProcess
import Dispatch
import Glibc
import Locking

/// Runs work that blocks, one piece after the other, in a thread of its own: never in one of the threads that run tasks.
///
/// The thread lives while there is work, and a second longer, because work seldom comes alone.
final class Worker: Sendable {
    private struct State {
        var waiting: [Work] = []
        var isWorking = false
        var hasThread = false
    }

    private let state = Lock(State())
    /// Counts work that came while there was a thread.
    private let arrivals = DispatchSemaphore(value: 0)
    private static let patience = DispatchTimeInterval.seconds(1)

    /// Whether something runs or waits to run.
    var isBusy: Bool { state.withLock { $0.isWorking || !$0.waiting.isEmpty } }

    /// Runs `body` in the thread, after earlier work.
    ///
    /// - Parameter cancellation: Applies if the task is cancelled while `body` runs.
    /// - Throws: `KanalError/cancelled` if the task is cancelled before `body` begins; what `body` throws.
    func run<Result: Sendable>(
        cancellation: Cancellation, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let work = Work(cancellation)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isWanted = work.give(
                    { () -> @Sendable () -> Void in
                        let result = Lock<Swift.Result<Result, any Error>?>(Swift.Result(catching: body))
                        return {
                            // Transfers ownership: releasing the last reference may end the process. `resume(with:)`
                            // only borrows it.
                            guard let given = result.withLock({ $0.take() }) else { return }
                            switch consume given {
                            case .success(let value): continuation.resume(returning: consume value)
                            case .failure(let error): continuation.resume(throwing: consume error)
                            }
                        }
                    },
                    orRefuse: { continuation.resume(throwing: $0) })
                if isWanted { enter(work) }
            }
        } onCancel: {
            work.cancel()
        }
    }

    private func enter(_ work: Work) {
        let hasThread = state.withLock { state in
            state.waiting.append(work)
            defer { state.hasThread = true }
            return state.hasThread
        }
        if hasThread {
            arrivals.signal()
        } else if !BlockingThread.start({ [self] in runAll() }) {
            state.withLock { $0.hasThread = false }
            while let work = next() {
                work.refuse(.refused(code: "EAGAIN", reason: "the system creates no more threads"))
            }
        }
    }

    private func runAll() {
        repeat {
            while let work = next() { work.run()?() }
        } while arrivals.wait(timeout: .now() + Self.patience) == .success || !mayEnd()
    }

    private func next() -> Work? {
        state.withLock { state in
            state.isWorking = !state.waiting.isEmpty
            return state.isWorking ? state.waiting.removeFirst() : nil
        }
    }

    /// Whether the thread ends: nothing has come in the last moment.
    private func mayEnd() -> Bool {
        state.withLock { state in
            state.hasThread = !state.waiting.isEmpty
            return !state.hasThread
        }
    }
}

/// Runs work on a worker, and throws its error by its type.
func working<Result: Sendable>(
    on worker: Worker, cancellation: Cancellation = .asks({}),
    _ body: @escaping @Sendable () throws(KanalError) -> Result
) async throws(KanalError) -> Result {
    do {
        return try await worker.run(cancellation: cancellation, body)
    } catch let error as KanalError {
        throw error
    } catch {
        // A worker throws nothing else.
        throw .cancelled
    }
}

/// Runs work on a worker also if the task is cancelled: what was begun is ended.
func workingAlways(on worker: Worker, _ body: @escaping @Sendable () -> Void) async {
    await Task { try? await working(on: worker) { () throws(KanalError) in body() } }.value
}

/// One piece of work. It runs, or the reason why it does not is reported: one of both, once.
private final class Work: Sendable {
    /// Runs the work, and returns a closure that reports its end.
    typealias Body = @Sendable () -> @Sendable () -> Void
    /// Receives the reason why the work does not run, or is not waited for.
    typealias Refuse = @Sendable (KanalError) -> Void

    private enum Phase {
        case new(Cancellation)
        case waiting(Body, Cancellation, Refuse)
        case running(Cancellation, Refuse)
        case over
    }

    private let phase: Lock<Phase>

    init(_ cancellation: Cancellation) { phase = Lock(.new(cancellation)) }

    /// Accepts the work.
    ///
    /// - Returns: Whether it is still wanted; else it was refused as cancelled.
    func give(_ body: @escaping Body, orRefuse refuse: @escaping Refuse) -> Bool {
        let isWanted = phase.withLock { phase in
            guard case .new(let cancellation) = phase else { return false }
            phase = .waiting(body, cancellation, refuse)
            return true
        }
        if !isWanted { refuse(.cancelled) }
        return isWanted
    }

    /// Does the work. Everything that it holds is released before the returned closure reports its end: the caller may
    /// end the process then, with the libraries that releasing a card needs.
    func run() -> (@Sendable () -> Void)? {
        let body: Body? = phase.withLock { phase in
            guard case .waiting(let body, let cancellation, let refuse) = phase else { return nil }
            phase = .running(cancellation, refuse)
            return body
        }
        guard let tell = body?() else { return nil }
        return end() == nil ? nil : tell
    }

    func refuse(_ refusal: KanalError) { end()?(refusal) }

    /// The closure that reports the end; nil if that was done.
    private func end() -> Refuse? {
        let former = phase.withLock { phase in
            defer { phase = .over }
            return phase
        }
        switch former {
        case .waiting(_, _, let refuse), .running(_, let refuse): return refuse
        case .new, .over: return nil
        }
    }

    func cancel() {
        let isAsked = phase.withLock { phase in
            guard case .running(.asks(let ask), _) = phase else { return false }
            // Under the lock, so that it does not meet the work that follows.
            ask()
            return true
        }
        if !isAsked { refuse(.cancelled) }
    }
}
