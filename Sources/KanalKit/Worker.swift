// SPDX-License-Identifier: Apache-2.0
import Glibc
import Locking

/// Runs work that blocks, one piece after the other, in a thread of its own: never in one of the threads that run tasks.
///
/// The thread lives while there is work.
final class Worker: Sendable {
    private struct State {
        var waiting: [Work] = []
        var isRunning = false
    }

    private let state = Lock(State())

    /// Whether something runs or waits to run.
    var isBusy: Bool { state.withLock { $0.isRunning } }

    /// Runs `body` in the thread, after what was given before.
    ///
    /// - Parameter abandon: Is called when the task is cancelled while `body` runs, so that `body` may end its waiting.
    /// - Throws: `KanalError/cancelled` if the task is cancelled before `body` begins; what `body` throws.
    func run<Result: Sendable>(
        abandon: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let work = Work(abandon: abandon)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isWanted = work.give { refusal in
                    if let refusal { return continuation.resume(throwing: refusal) }
                    continuation.resume(with: Swift.Result(catching: body))
                }
                if isWanted { enter(work) }
            }
        } onCancel: {
            work.cancel()
        }
    }

    private func enter(_ work: Work) {
        let isIdle = state.withLock { state in
            state.waiting.append(work)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isIdle else { return }
        guard !BlockingThread.start({ [self] in drain() }) else { return }
        while let work = next() { work.refuse(.refused(code: "EAGAIN", reason: "the system makes no more threads")) }
    }

    private func drain() {
        while let work = next() { work.run() }
    }

    private func next() -> Work? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isRunning = false
                return nil
            }
            return state.waiting.removeFirst()
        }
    }
}

/// Runs work on a worker, and tells its error by its type.
func working<Result: Sendable>(
    on worker: Worker, _ body: @escaping @Sendable () throws(KanalError) -> Result
) async throws(KanalError) -> Result {
    do {
        return try await worker.run(body)
    } catch let error as KanalError {
        throw error
    } catch {
        // A worker throws nothing else.
        throw .cancelled
    }
}

/// One piece of work. It runs, or is told why it does not: one of both, once.
private final class Work: Sendable {
    private enum Phase {
        case new
        case waiting(@Sendable (_ refusal: KanalError?) -> Void)
        case running
        case cancelled
        case done
    }

    private let phase = Lock(Phase.new)
    private let abandon: @Sendable () -> Void

    init(abandon: @escaping @Sendable () -> Void) { self.abandon = abandon }

    /// Takes over what is to be done.
    ///
    /// - Returns: Whether it is still wanted; else it has been told that it was cancelled.
    func give(_ body: @escaping @Sendable (_ refusal: KanalError?) -> Void) -> Bool {
        let isWanted = phase.withLock { phase in
            guard case .new = phase else { return false }
            phase = .waiting(body)
            return true
        }
        if !isWanted { body(.cancelled) }
        return isWanted
    }

    func run() {
        guard let body = take(.running) else { return }
        body(nil)
        phase.withLock { $0 = .done }
    }

    func refuse(_ refusal: KanalError) { take(.done)?(refusal) }

    private func take(_ next: Phase) -> (@Sendable (KanalError?) -> Void)? {
        phase.withLock { phase in
            guard case .waiting(let body) = phase else { return nil }
            phase = next
            return body
        }
    }

    func cancel() {
        let next: (@Sendable () -> Void)? = phase.withLock { phase in
            switch phase {
            case .new:
                phase = .cancelled
                return nil
            case .waiting(let body):
                phase = .cancelled
                return { body(.cancelled) }
            case .running: return abandon
            case .cancelled, .done: return nil
            }
        }
        next?()
    }
}

/// A thread that may block.
enum BlockingThread {
    private final class Start: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that runs `body` and ends. Signals of the process go to other threads.
    ///
    /// - Returns: Whether the system made the thread.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        var thread = pthread_t()
        var blocked = sigset_t()
        var former = sigset_t()
        let start = unsafe Unmanaged.passRetained(Start(body))
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe sigfillset(&blocked)
        unsafe pthread_sigmask(SIG_SETMASK, &blocked, &former)
        let code = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        unsafe pthread_sigmask(SIG_SETMASK, &former, nil)
        unsafe pthread_attr_destroy(&attributes)
        if code != 0 { unsafe start.release() }
        return code == 0
    }
}
