// SPDX-License-Identifier: Apache-2.0
import Terminal
import Translation

extension Timestamp {
    /// By the clock of the program, which tests set.
    static var now: Timestamp { Timestamp(ProgramContext.current.now()) }
}
