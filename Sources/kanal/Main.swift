// SPDX-License-Identifier: Apache-2.0
import CProcess
import Dispatch
import Glibc
import KanalCommand
import Locking
import Terminal

/// The program: it owns signals and descriptors, and leaves the rest to `KanalCommand`.
@main
enum Main {
    static func main() {
        // One heap for all threads, which grows by 4 MiB: glibc extends the heaps of others by single pages, each with a call
        // of the system, which is a third of the time for a large document.
        process_use_one_heap(4 << 20)
        unsafe setlocale(LC_CTYPE, "")
        OutputStream.takeFreeNumbers()
        Interruption.listen()
        let thread = MainThread()
        let work = Task(executorPreference: thread) {
            let status = await Invocation(FileName.arguments.dropFirst()).run()
            // Everything is written, and nothing that a library does at its end is missed.
            _exit(status.rawValue)
        }
        Interruption.onRequest({ work.cancel() }, again: { _exit(ExitStatus.cancelled.rawValue) })
        thread.runJobs()
    }
}

/// Runs the command in the thread that the program begins with. The threads of Dispatch's pool, which run tasks else, would
/// have to be started first, one of them only to watch the others.
///
/// The command's task and its children run here, one at a time; tasks on their own run in the pool.
private final class MainThread: TaskExecutor {
    private let jobs = Lock<[UnownedJob]>([])
    /// Counts the jobs.
    private let arrivals = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrivals.signal()
    }

    /// Runs jobs as they come, and does not return. Signals are left to the thread of `Interruption`: they interrupt no
    /// call of the command's.
    func runJobs() -> Never {
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        // Signals of a fault of the thread itself.
        for number in [SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV] { unsafe sigdelset(&signals, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        let executor = unsafe asUnownedTaskExecutor()
        while true {
            arrivals.wait()
            let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            unsafe job?.runSynchronously(on: executor)
        }
    }
}
