// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import CProcess
import Glibc

/// Another program, as a child of this process.
package enum ChildProcess {
    /// How a program runs beside this one.
    package enum Kind: Sendable {
        /// In this process's group, with its terminal.
        case beside
        /// In a process group of its own.
        case group
        /// In a session of its own, in the directory "/", without ambient capabilities and core dumps. It ends when the
        /// thread that has started it ends.
        case tied

        fileprivate var number: process_kind {
            switch self {
            case .beside: PROCESS_BESIDE
            case .group: PROCESS_GROUP
            case .tied: PROCESS_TIED
            }
        }
    }

    /// Starts a program. It gets no descriptor of this process but those that are given, and signals as a new program
    /// expects them.
    ///
    /// - Parameters:
    ///   - arguments: Its name, which is looked for in the PATH if it has no slash, and its arguments.
    ///   - environment: Nil for this process's own.
    ///   - descriptors: Its descriptors 0, 1 and so on; nil for nothing. Each is above 2, or the number that it becomes.
    /// - Returns: The number of the process, or a negative error number. A process that has more rights than its user, or
    ///   another root directory than before, starts none: `EPERM`.
    package static func start(
        _ arguments: [String], environment: [String]? = nil, descriptors: [Int32?], as kind: Kind
    ) -> Int32 {
        guard !Environment.isPrivileged, !RootDirectory.hasChanged else { return -EPERM }
        let words = CStrings(arguments), variables = CStrings(environment ?? [])
        let ends = descriptors.map { $0 ?? -1 }
        return unsafe ends.withUnsafeBufferPointer { ends in
            var program = unsafe process_program(
                path: words.pointer[0], arguments: words.pointer,
                environment: environment == nil ? environ : variables.pointer, descriptors: ends.baseAddress,
                count: Int32(clamping: ends.count), kind: kind.number)
            return unsafe process_start(&program)
        }
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
