// SPDX-License-Identifier: Apache-2.0
import Glibc
import Terminal
import TestSupport
import Testing

@Suite("Other programs that are run")
struct ChildProgramTests {
    private func run(
        _ script: String, environment: [String] = [], input: [UInt8] = [], limit: Int = 1 << 20,
        patience: Duration = .seconds(60)
    ) throws -> (status: Int32, output: String, message: String?) {
        let program = try ChildProgram(["/bin/sh", "-c", script], environment: environment)
        let result = try program.run(input: input, limit: limit, until: .now + patience)
        return (result.status, String(decoding: result.output, as: UTF8.self), result.message)
    }

    @Test("A program gets its input, and tells what it writes and its first complaint")
    func exchange() throws {
        let result = try run("cat; echo first >&2; echo second >&2; exit 3", input: Array("text".utf8))
        #expect(result.output == "text" && result.message == "first" && result.status == 3 << 8)
        let silent = try run("exec >&- 2>&-; exit 0", input: Array("nobody reads it".utf8))
        #expect(silent.output.isEmpty && silent.message == nil && silent.status == 0)
    }

    @Test("A program has neither descriptors nor variables nor blocked signals of this one")
    func inheritance() throws {
        let descriptor = unsafe open("/dev/null", O_RDONLY)
        defer { close(descriptor) }
        unsafe setenv("KANAL_TEST_SECRET", "12345678", 1)
        let result = try run("/bin/ls /proc/$$/fd; /usr/bin/tr '\\0' '\\n' < /proc/$$/environ", environment: ["A=b"])
        #expect(result.output == "0\n1\n2\nA=b\n")
        let handler = signal(SIGUSR2, SIG_IGN)
        defer { _ = signal(SIGUSR2, handler) }
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        let signals = try run(
            "while read name value; do case $name in Sig[BI]*) echo $value;; esac; done < /proc/$$/status")
        let sets = signals.output.split(separator: "\n").compactMap { UInt64($0, radix: 16) }
        // The C library keeps the signals 32 and 33 to itself.
        #expect(sets.map { $0 & 0x7FFF_FFFF } == [0, 0], "\(signals.output)")
    }

    @Test("A program that is not there, does not end or writes without an end is told, and is ended")
    func failures() throws {
        #expect(throws: ChildProgram.Failure.absent("no-such-program")) {
            try ChildProgram(["no-such-program"], environment: [])
        }
        #expect(throws: ChildProgram.Failure.late("/bin/sh")) { try run("exec sleep 1000", patience: .zero) }
        #expect(throws: ChildProgram.Failure.tooLong("/bin/sh")) {
            try run("exec yes", environment: ["PATH=/usr/bin:/bin"])
        }
        #expect(throws: ChildProgram.Failure.tooLong("/bin/sh")) {
            try run("exec yes >&2", environment: ["PATH=/usr/bin:/bin"])
        }
    }
}
