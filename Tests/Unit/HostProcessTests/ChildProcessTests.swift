// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostProcess
import Testing

@Suite("Programs that are started as children")
struct ChildProcessTests {
    /// The output of a command of the shell.
    ///
    /// - Parameter environment: Not the tests' own, which others of them change at the same time.
    private func output(
        _ command: String, environment: [String] = ["PATH=/usr/bin:/bin"], as kind: ChildProcess.Kind,
        further: [Int32?] = []
    ) throws -> (process: Int32, words: [String]) {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        let process = ChildProcess.start(
            ["/bin/sh", "-c", command], environment: environment, descriptors: [nil, ends[1], nil] + further, as: kind)
        close(ends[1])
        defer { close(ends[0]) }
        try #require(process > 0)
        var bytes = [UInt8](repeating: 0, count: 4096)
        var text = ""
        while case let count = unsafe read(ends[0], &bytes, bytes.count), count > 0 {
            text += String(decoding: bytes.prefix(count), as: UTF8.self)
        }
        var status: Int32 = 0
        #expect(unsafe waitpid(process, &status, 0) == process && status == 0)
        return (process, text.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    @Test("A child has the descriptors that it is given, nothing in place of nil, and no others")
    func descriptors() throws {
        let foreign = unsafe open("/dev/null", O_RDONLY)
        defer { close(foreign) }
        for kind in [ChildProcess.Kind.beside, .group, .tied] {
            // The last one is the directory that ls lists.
            let words = try output("exec ls -v -g -G /proc/self/fd", as: kind).words
            let links = words.indices.filter { words[$0] == "->" }.map { (words[$0 - 1], words[$0 + 1]) }
            #expect(links.map(\.0) == ["0", "1", "2", "3"])
            #expect(links.count == 4 && links[0].1 == "/dev/null" && links[2].1 == "/dev/null")
            #expect(links.last?.1.hasSuffix("/fd") == true)
        }
    }

    @Test("A child is in its parent's group, in one of its own, or in a session of its own and in /")
    func kinds() throws {
        let command = "read pid name state parent group session rest < /proc/$$/stat; echo $group $session $PWD"
        let own = [String(getpgrp()), String(getsid(0))]
        #expect(try output(command, as: .beside).words.prefix(2) == own[...])
        let (leader, grouped) = try output(command, as: .group)
        #expect(grouped.prefix(2) == [String(leader), own[1]])
        let (tied, alone) = try output("cd .; " + command, as: .tied)
        #expect(alone == [String(tied), String(tied), "/"])
        #expect(try output("ulimit -c", as: .tied).words == ["0"])
    }

    @Test("Signals that the parent ignores or holds back are as a new program expects them")
    func signals() throws {
        var (blocked, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&blocked)
        unsafe sigaddset(&blocked, SIGUSR1)
        unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        let masks = try output("exec grep -E 'SigBlk|SigIgn' /proc/self/status", as: .beside).words
        #expect(masks.filter { !$0.hasPrefix("Sig") }.allSatisfy { UInt64($0, radix: 16) == 0 }, "\(masks)")
        var now = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &now)
        #expect(unsafe sigismember(&now, SIGUSR1) == 1)
    }

    @Test("An environment takes the place of the parent's, and a name is looked for in the PATH")
    func environment() throws {
        #expect(try output("echo $ONE $HOME", environment: ["ONE=1"], as: .beside).words == ["1"])
        let process = ChildProcess.start(["true"], descriptors: [nil, nil, nil], as: .beside)
        var status: Int32 = -1
        let reaped = unsafe waitpid(process, &status, 0)
        #expect(process > 0 && reaped == process && status == 0)
    }

    @Test("A program that cannot run is an error number, and leaves no child")
    func failures() {
        #expect(ChildProcess.start(["no-such-program"], descriptors: [nil], as: .beside) == -ENOENT)
        #expect(ChildProcess.start(["/no/such/program"], descriptors: [nil], as: .tied) == -ENOENT)
        #expect(ChildProcess.start(["/etc"], descriptors: [nil], as: .group) == -EACCES)
        #expect(ChildProcess.start(["/bin/true"], descriptors: [999_999], as: .beside) == -EBADF)
    }

    @Test("A tied child ends with the thread that has started it")
    func tied() throws {
        let started = DispatchSemaphore(value: 0), over = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var process: Int32 = 0
        Thread.detachNewThread {
            unsafe process = ChildProcess.start(["/bin/sleep", "60"], descriptors: [nil, nil, nil], as: .tied)
            started.signal()
            over.wait()
        }
        started.wait()
        try #require(unsafe process > 0)
        #expect(unsafe kill(process, 0) == 0)
        over.signal()
        var status: Int32 = 0
        #expect(unsafe waitpid(process, &status, 0) == process)
        #expect(status & 0x7F == SIGTERM)
    }
}
