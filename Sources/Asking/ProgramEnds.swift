// SPDX-License-Identifier: Apache-2.0
import CAsking
import Glibc

/// The ends of the pipes between the host and a program, or -1.
struct ProgramEnds {
    private(set) var input: Int32 = -1
    private(set) var answer: Int32 = -1
    private(set) var errors: Int32 = -1
    private(set) var childInput: Int32 = -1
    private(set) var childAnswer: Int32 = -1
    private(set) var childErrors: Int32 = -1

    /// Opens them all.
    ///
    /// - Returns: Whether that worked; if not, `errno` says why, and some may be open.
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
