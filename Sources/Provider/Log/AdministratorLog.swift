// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostProcess
package import Locking
package import Logging

/// The messages of this process to the administrator. They are few, however often a program tries the same again.
package final class AdministratorLog: Sendable {
    private struct State {
        var isOn = true
        /// The recent messages and their times, the oldest first.
        var sent: [(text: String, time: Duration)] = []
    }

    private let state = Lock(State())
    private let log: SystemLog
    private let uptime: Uptime
    private let program: String

    /// The time in which the same message is not sent again, and ``most`` messages are sent.
    static let period = Duration.seconds(600)
    /// The number of messages in that time. The last states that more are left out.
    package static let most = 16

    /// - Parameter program: The name of the process's executable.
    package init(_ log: SystemLog = SystemLog(), uptime: Uptime = .system, program: String) {
        self.log = log
        self.uptime = uptime
        self.program = LogLine.escaped(program)
    }

    /// Whether the administrator wants messages.
    package func turn(on isOn: Bool) { state.withLock { $0.isOn = isOn } }

    /// - Parameter text: One line.
    package func report(_ text: String, level: Logger.Level) {
        let now = uptime.now
        let isLast: Bool? = state.withLock { state in
            state.sent.removeAll { now - $0.time >= Self.period }
            guard state.isOn, state.sent.count < Self.most, !state.sent.contains(where: { $0.text == text }) else {
                return nil
            }
            state.sent.append((text, now))
            return state.sent.count == Self.most
        }
        guard let isLast else { return }
        log.send("\(program): \(text)", level: level)
        if isLast { log.send("\(program): no more messages for \(Self.period.components.seconds) s", level: level) }
    }
}
