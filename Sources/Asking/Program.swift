// SPDX-License-Identifier: Apache-2.0

import CProcess
import Glibc
import HostProcess
import Secrets
import Translation

/// A running program that asks, with a pipe to it and pipes from it.
///
/// It is a child of the host, which may ignore its end, or reap it at any time. So the end of its output counts, or a
/// descriptor of the process, and never an exit status: the latter, too, because another child that the host forks has
/// the pipes' other ends open for as long as it likes.
final class Program {
    /// A program's output: its answer, and errors.
    enum Output { case answer, errors }

    /// The result of reading.
    enum Reading: Equatable {
        case bytes(Int)
        case end
        case timeout
    }

    private let process: pid_t
    /// Readable when the process has ended; -1 if the system does not support it.
    private let handle: Int32
    /// Whether the process was reaped by the host before we could hold it.
    private let isLost: Bool
    private var ends: ChildPipes
    /// Whether the process was seen to have ended.
    private var hasEnded = false
    private var isFinished = false

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - hasInput: Whether it is written to. If not, it reads nothing.
    ///   - hasErrors: Whether its standard error is read. If not, it is lost.
    init(
        _ path: String, _ arguments: [String], more variables: [String] = [], hasInput: Bool, hasErrors: Bool = false
    ) throws(AskingError) {
        var ends = ChildPipes()
        let isOpen = StandardDescriptors.avoid(otherwise: false) { ends.open(hasInput: hasInput, hasErrors: hasErrors) }
        guard isOpen else {
            let code = errno
            ends.closeAll()
            throw .failed("\(path): no pipe: \(Phrase(errno: code))")
        }
        let started = ChildProcess.start(
            [path] + arguments, environment: CallerEnvironment.environment + variables,
            descriptors: [ends.childInput, ends.childAnswer, ends.childErrors], as: .tied)
        ends.closeChilds()
        guard started > 0 else {
            ends.closeOurs()
            let text: Phrase = "\(path): \(Phrase(errno: -started))"
            switch -started {
            case EAGAIN, ENOMEM, EMFILE, ENFILE: throw .failed(text)
            default: throw .notInstalled(text)
            }
        }
        process = started
        let handle = StandardDescriptors.avoid(otherwise: -1) { process_descriptor(started) }
        // The number may belong to a different process by now, but then that one is not our child.
        isLost = process_state(handle, started, false) < 0
        if isLost, handle >= 0 { close(handle) }
        self.handle = isLost ? -1 : handle
        self.ends = ends
    }

    deinit {
        if !isFinished { stop() }
        if handle >= 0 { close(handle) }
    }

    /// Whether a path leads to a file which may be run.
    static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    /// Writes all bytes.
    ///
    /// - Returns: Whether it read them; false if it has ended or the time is over.
    func write(_ bytes: [UInt8], until deadline: Deadline) -> Bool {
        let number = ends.input
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = WriteSignals.blocked {
                unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                guard wait(for: number, POLLOUT, until: deadline) == .ready else { return false }
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Reads available output, straight into `memory`; waits until there is some.
    func read(
        _ output: Output = .answer, into memory: UnsafeMutableRawBufferPointer, until deadline: Deadline
    ) -> Reading {
        let number = output == .answer ? ends.answer : ends.errors
        while true {
            let count = unsafe Glibc.read(number, memory.baseAddress, memory.count)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: break
            default: return .end
            }
            // Output from before the end is read first.
            if hasEnded { return .end }
            switch wait(for: number, POLLIN, until: deadline) {
            case .ready: break
            case .ended: hasEnded = true
            case .timeout: return .timeout
            }
        }
    }

    private enum Waiting { case ready, ended, timeout }

    /// Waits for one of our ends, and for the end of the process.
    private func wait(for number: Int32, _ events: Int32, until deadline: Deadline) -> Waiting {
        while true {
            let left = deadline.milliseconds
            guard left > 0 else { return .timeout }
            var files = [
                pollfd(fd: number, events: Int16(events), revents: 0),
                pollfd(fd: handle, events: Int16(POLLIN), revents: 0),
            ]
            // Without a descriptor of the process its end is looked for.
            let count = unsafe poll(&files, 2, handle >= 0 ? left : min(left, 200))
            if count > 0 { return files[0].revents != 0 ? .ready : .ended }
            if handle < 0, isLost || process_state(-1, process, false) != 0 { return .ended }
        }
    }

    /// Lets the program end, which has got all its input.
    func finish() {
        ends.closeOurs()
        if waitForEnd(.seconds(1)) {
            isFinished = true
            _ = process_state(handle, process, true)
        } else {
            stop()
        }
    }

    /// Ends the program and what it has started.
    func stop() {
        ends.closeOurs()
        isFinished = true
        signal(SIGTERM)
        _ = waitForEnd(.milliseconds(500))
        signal(SIGKILL)
        _ = waitForEnd(.seconds(1))
        _ = process_state(handle, process, true)
    }

    /// Signals the program and what it has started. Until it is reaped, its number cannot be reused.
    private func signal(_ number: Int32) {
        if handle >= 0, process_signal_group(handle, number) { return }
        guard !isLost, process_state(handle, process, false) >= 0 else { return }
        kill(-process, number)
    }

    /// - Returns: Whether the process has ended. It is not reaped.
    private func waitForEnd(_ patience: Duration) -> Bool {
        let deadline = Deadline(after: patience)
        while !isLost, process_state(handle, process, false) == 0 {
            let left = deadline.milliseconds
            guard left > 0 else { return false }
            var file = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
            unsafe poll(&file, 1, handle >= 0 ? left : min(left, 20))
        }
        return true
    }
}

/// The ends of the pipes between the host and a program, or -1.
struct ChildPipes {
    private(set) var input: Int32 = -1
    private(set) var answer: Int32 = -1
    private(set) var errors: Int32 = -1
    private(set) var childInput: Int32 = -1
    private(set) var childAnswer: Int32 = -1
    private(set) var childErrors: Int32 = -1

    /// Opens them all.
    ///
    /// - Returns: Whether that worked; if not, `errno` has the reason, and some may be open.
    mutating func open(hasInput: Bool, hasErrors: Bool) -> Bool {
        (childInput, input) = hasInput ? Self.pipe() : (Self.nothing(), -1)
        guard childInput >= 0 else { return false }
        (answer, childAnswer) = Self.pipe()
        guard answer >= 0 else { return false }
        (errors, childErrors) = hasErrors ? Self.pipe() : (-1, Self.nothing())
        guard childErrors >= 0 else { return false }
        // The child's ends are as programs expect them: they wait.
        for number in [input, answer, errors] where number >= 0 {
            guard fcntl(number, F_SETFL, O_NONBLOCK) == 0 else { return false }
        }
        return true
    }

    mutating func closeOurs() {
        Self.close(&input)
        Self.close(&answer)
        Self.close(&errors)
    }

    mutating func closeChilds() {
        Self.close(&childInput)
        Self.close(&childAnswer)
        Self.close(&childErrors)
    }

    mutating func closeAll() {
        closeOurs()
        closeChilds()
    }

    private static func pipe() -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe process_pipe(&ends) else { return (-1, -1) }
        return (ends[0], ends[1])
    }

    private static func nothing() -> Int32 { unsafe Glibc.open("/dev/null", O_RDWR | O_CLOEXEC) }

    private static func close(_ number: inout Int32) {
        if number >= 0 { Glibc.close(number) }
        number = -1
    }
}
