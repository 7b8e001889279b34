// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostProcess
package import Translation

/// Another program, with a pipe to it and two from it. It gets no other descriptor of this process, and signals as a
/// new program expects them.
package final class ChildProgram {
    /// Why a program has not done its work.
    package enum Failure: Explained, Equatable {
        /// No such program exists.
        case absent(String)
        /// It did not end in time.
        case late(String)
        /// It wrote more than it may.
        case tooLong(String)

        package var explanation: Phrase {
            switch self {
            case .absent(let name): "the program \(name) is not there: install its package"
            case .late(let name): "the program \(name) did not end in time"
            case .tooLong(let name): "what the program \(name) brings is too long"
            }
        }
    }

    private let process: pid_t
    private let name: String
    /// Its standard input, output and error; -1 when it is closed.
    private var pipes: [Int32]
    /// The status from wait(2); nil until it was asked.
    private var end: Int32?

    /// Starts a program.
    ///
    /// - Parameter arguments: Its name, which is looked for in the PATH, and its arguments.
    package init(_ arguments: [String], environment: [String]) throws {
        name = arguments.first ?? ""
        var (near, far): ([Int32], [Int32]) = ([], [])
        defer { for descriptor in far { close(descriptor) } }
        for number in 0..<3 {
            var ends: [Int32] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else {
                let code = errno
                for descriptor in near { close(descriptor) }
                throw SystemError(code, name)
            }
            for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            near.append(ends[number == 0 ? 1 : 0])
            far.append(ends[number == 0 ? 0 : 1])
        }
        pipes = near
        process = ChildProcess.start(arguments, environment: environment, descriptors: far, as: .beside)
        guard process > 0 else {
            end = 0
            if process == -ENOENT { throw Failure.absent(name) }
            throw SystemError(-process, name)
        }
    }

    deinit { finish() }

    /// Ends the program, unless it has ended.
    private func finish() {
        for descriptor in pipes where descriptor >= 0 { close(descriptor) }
        pipes = []
        guard end == nil else { return }
        kill(process, SIGKILL)
        end = wait()
    }

    private func wait() -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return status
    }

    /// Writes the program's input, and reads its output until it closes both pipes.
    ///
    /// - Parameters:
    ///   - input: No more than a pipe's capacity.
    ///   - limit: How much it may write.
    ///   - deadline: When it must be done.
    package func run(
        input: [UInt8], limit: Int, until deadline: ContinuousClock.Instant
    ) throws -> (status: Int32, output: [UInt8], message: String?) {
        // A program that does not read its input reports the reason itself.
        try? OutputStream(descriptor: pipes[0]).write(input)
        closePipe(0)
        var written: [[UInt8]] = [[], [], []]
        while pipes[1] >= 0 || pipes[2] >= 0 {
            guard !Interruption.isRequested else { throw Console.Failure.interrupted }
            guard ContinuousClock.now < deadline else { throw Failure.late(name) }
            var waiting = pipes.dropFirst().map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard unsafe poll(&waiting, nfds_t(waiting.count), 100) > 0 else { continue }
            for number in 1...2 where waiting[number - 1].revents != 0 {
                let bytes = piece(of: pipes[number])
                if bytes.isEmpty { closePipe(number) }
                written[number] += bytes
                guard written[number].count <= limit else {
                    throw Failure.tooLong(name)
                }
            }
        }
        let status = wait()
        end = status
        let message = String(decoding: written[2], as: UTF8.self).split(whereSeparator: \.isNewline).first
        return (status, written[1], message.map(String.init))
    }

    private func closePipe(_ number: Int) {
        close(pipes[number])
        pipes[number] = -1
    }

    /// The bytes that can be read; none at the end.
    private func piece(of descriptor: Int32) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, count in
            unsafe count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
        }
    }
}
