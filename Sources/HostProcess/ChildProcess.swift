// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import Glibc

/// Another program, as a child of this process.
package enum ChildProcess {
    /// Starts a program. It gets no descriptor of this process but those that are given, and signals as a new program
    /// expects them.
    ///
    /// - Parameters:
    ///   - arguments: Its name, which is looked for in the PATH if it has no slash, and its arguments.
    ///   - environment: Nil for this process's own.
    ///   - descriptors: Its descriptors 0, 1 and so on; nil for nothing.
    ///   - hasGroup: Whether it leads a process group of its own.
    /// - Returns: An error number; 0 if the program runs, whose number is in `process` then. A process that has more
    ///   rights than its user starts none: `EPERM`.
    package static func start(
        _ arguments: [String], environment: [String]? = nil, descriptors: [Int32?], hasGroup: Bool = false,
        _ process: inout Int32
    ) -> Int32 {
        guard !Environment.isPrivileged else { return EPERM }
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        for (number, descriptor) in descriptors.enumerated() {
            if let descriptor {
                unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
            } else {
                unsafe posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
            }
        }
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, Int32(descriptors.count))
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | (hasGroup ? POSIX_SPAWN_SETPGROUP : 0)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        let words = CStrings(arguments), variables = CStrings(environment ?? [])
        return unsafe posix_spawnp(
            &process, arguments.first ?? "", &actions, &attributes, words.pointer,
            environment == nil ? environ : variables.pointer)
    }

    /// Ends a child, by force if it has not ended two seconds after it was asked to.
    package static func end(_ process: Int32) {
        guard !hasEnded(process) else { return }
        kill(process, SIGTERM)
        for _ in 0..<100 {
            poll(nil, 0, 20)
            guard !hasEnded(process) else { return }
        }
        kill(process, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
    }

    /// Whether a child has ended. Until it is reaped, here or elsewhere, its number cannot be reused.
    private static func hasEnded(_ process: Int32) -> Bool {
        var status: Int32 = 0
        let result = unsafe waitpid(process, &status, WNOHANG)
        return result == process || result < 0 && errno == ECHILD
    }
}

/// Cancellation of threads (pthread_cancel(3)). A thread that ends in the middle of Swift code releases nothing that it
/// holds: neither locks nor memory nor the reader.
package enum Cancellation {
    /// Runs `body` without cancellation. A request during that takes effect where the thread next allows it.
    package static func withheld<Result>(_ body: () -> Result) -> Result {
        var before: Int32 = 0
        unsafe pthread_setcancelstate(Int32(PTHREAD_CANCEL_DISABLE), &before)
        let result = body()
        pthread_setcancelstate(before, nil)
        return result
    }
}
