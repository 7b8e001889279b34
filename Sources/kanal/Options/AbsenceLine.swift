// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Terminal
import Translation

/// Tells on the terminal that work waits for a token that is away, or that was replaced by a different one.
final class AbsenceLine: Sendable {
    private let task: Task<Void, Never>

    init(_ token: Token) {
        let (name, states) = (token.information.serialText, token.states)
        task = Task {
            var line: ProgressLine?
            for await state in states {
                line?.end()
                switch state {
                case .normal, .completed: line = nil
                case .waitingForToken: line = ProgressLine("Waiting for the token \(name). Ctrl-C ends.")
                case .wrongToken: line = ProgressLine("This is a different token. Waiting for \(name). Ctrl-C ends.")
                }
            }
            line?.end()
        }
    }

    deinit { task.cancel() }
}
