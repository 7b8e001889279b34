// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostProcess
import Testing

@Suite("What a library leaves alone in its process")
struct HostProcessTests {
    @Test("Nothing stands in the way of a body where 0 to 2 are open, and errno is the body's")
    func open() {
        let number: Int32 = StandardDescriptors.avoid(otherwise: -2) {
            errno = ENOTTY
            return 7
        }
        #expect(number == 7)
        #expect(errno == ENOTTY)
        #expect(!StandardDescriptors.areUsedUp)
    }

    @Test("A writer whose reader is gone gets EPIPE and no signal, also not later")
    func brokenPipe() {
        var ends: [Int32] = [0, 0]
        #expect(unsafe pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        for _ in 0..<2 {
            let result = WriteSignals.blocked { unsafe write(ends[1], "x", 1) }
            #expect(result == -1)
            #expect(errno == EPIPE)
        }
        var pending = sigset_t(), blocked = sigset_t()
        unsafe sigpending(&pending)
        unsafe pthread_sigmask(SIG_BLOCK, nil, &blocked)
        #expect(unsafe sigismember(&pending, SIGPIPE) == 0)
        #expect(unsafe sigismember(&blocked, SIGPIPE) == 0)
    }

    @Test("A variable that is empty or no text in UTF-8 is none")
    func variables() {
        #expect(!Environment.isPrivileged)
        for (value, expected) in [("text", "text"), ("", nil), ("\u{43F}", "\u{43F}")] {
            unsafe setenv("KANAL_TEST_VARIABLE", value, 1)
            #expect(Environment.variable("KANAL_TEST_VARIABLE") == expected)
        }
        let bytes: [CChar] = [0x2F, -1, 0]
        unsafe setenv("KANAL_TEST_VARIABLE", bytes, 1)
        #expect(Environment.variable("KANAL_TEST_VARIABLE") == nil)
        unsafe unsetenv("KANAL_TEST_VARIABLE")
        #expect(Environment.variable("KANAL_TEST_VARIABLE") == nil)
    }
}
