// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import Glibc
import HostProcess
import KanalKit
import Locking
import Translation

/// A program that is run as a child, without a shell, by its name in `PATH`. It gets the process's environment, three
/// descriptors that lead only to its output, default signal handling, and a process group of its own.
struct Program {
    let process: pid_t

    /// The time limit of a program that only answers a query.
    private static let patience = Duration.seconds(5)
    private static let outputLimit = 4096

    /// Starts a program.
    ///
    /// - Parameter output: The descriptor of its output; nil discards it.
    /// - Throws: ``AuthorizationError/notConfigured(_:)`` if none has this name, or this process must not start any.
    init(_ name: String, _ arguments: [String], output: Int32? = nil) throws(AuthorizationError) {
        guard !Environment.isPrivileged else {
            throw .notConfigured("a program with more rights than its user starts no other application")
        }
        process = ChildProcess.start([name] + arguments, descriptors: [nil, output, nil], as: .group)
        guard process > 0 else {
            if process == -ENOENT { throw .notConfigured("\(name) is missing: install xdg-utils") }
            throw .failed(.system("\(name) does not start: \(Phrase(errno: -process))"))
        }
    }

    /// Waits until the program has ended.
    ///
    /// - Returns: Whether it succeeded; also true if the status is unknown because the process ignores its children.
    func wait() -> Bool {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return true }
        }
        return status == 0
    }

    /// Runs a program that only answers a query.
    ///
    /// - Returns: Whether it has printed anything.
    static func tells(_ name: String, _ arguments: [String]) throws(AuthorizationError) -> Bool {
        var ends: [Int32] = [-1, -1]
        let code = StandardDescriptors.avoid(otherwise: -1 as Int32) { unsafe pipe2(&ends, O_CLOEXEC) }
        guard code == 0 else { throw .failed(.system("the system has no descriptor left")) }
        defer { close(ends[0]) }
        let program: Program
        do throws(AuthorizationError) {
            program = try Program(name, arguments, output: ends[1])
            close(ends[1])
        } catch {
            close(ends[1])
            throw error
        }
        var bytes: [UInt8] = []
        let isWhole = readAll(ends[0], into: &bytes)
        // Only while it still runs: otherwise the process number may have been reused.
        if !isWhole { kill(-program.process, SIGKILL) }
        _ = program.wait()
        guard isWhole else { throw .failed(.system("\(name) does not end")) }
        return bytes.contains { $0 > 0x20 }
    }

    /// Reads up to the end.
    ///
    /// - Returns: Whether the end came in time.
    private static func readAll(_ pipe: Int32, into bytes: inout [UInt8]) -> Bool {
        let deadline = Uptime.system.now + patience
        var piece = [UInt8](repeating: 0, count: 1024)
        while bytes.count < outputLimit {
            let left = deadline - Uptime.system.now
            guard left > .zero else { return false }
            var wait = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&wait, 1, Int32(clamping: left.components.seconds * 1000) + 1000)
            guard ready != 0 else { return false }
            let count = ready < 0 ? -1 : unsafe read(pipe, &piece, piece.count)
            if count < 0 {
                guard errno == EINTR else { return false }
            } else if count == 0 {
                return true
            } else {
                bytes += piece.prefix(count)
            }
        }
        return false
    }
}
