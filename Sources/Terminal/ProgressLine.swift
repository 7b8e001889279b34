// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import Glibc
import HostProcess
import Locking
package import Translation

/// A line on the terminal's screen that rewrites itself while something lasts longer than a second. Nothing is written
/// if standard error is not a terminal. Of several, the last to begin is shown.
package final class ProgressLine: Sendable {
    private struct State {
        var text: String
        var isShown = false
        var shownAt = ContinuousClock.Instant?.none
    }

    /// The lines that have not ended, by identity.
    private static let lines = Lock<[ObjectIdentifier]>([])

    private let state: Lock<State>
    private let start = ContinuousClock.now
    private let stream = OutputStream.error
    private let isTerminal = OutputStream.error.isTerminal
    private let ticker = Lock<Task<Void, Never>?>(nil)

    /// - Parameter text: The work in progress, until ``update(_:)`` replaces it.
    package init(_ text: Phrase) {
        state = Lock(State(text: translated(text)))
        guard isTerminal else { return }
        Self.lines.withLock { $0.append(ObjectIdentifier(self)) }
        let task = Task { [weak self] in
            while !Task.isCancelled {
                guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
                guard let self else { return }
                self.show()
            }
        }
        ticker.withLock { $0 = task }
    }

    deinit { end() }

    /// Updates the text. The screen follows ten times a second at most.
    package func update(_ text: Phrase) {
        let words = translated(text)
        let isDue = state.withLock { state in
            state.text = words
            return state.shownAt.map { ContinuousClock.now - $0 > .milliseconds(100) } ?? true
        }
        if isDue { show() }
    }

    /// Removes the line.
    package func end() {
        ticker.withLock { ticker in
            ticker?.cancel()
            ticker = nil
        }
        Self.lines.withLock { lines in lines.removeAll { $0 == ObjectIdentifier(self) } }
        state.withLock { state in
            if state.isShown { try? stream.write("\r\u{1B}[K") }
            state.isShown = false
        }
    }

    private func show() {
        guard isTerminal, ContinuousClock.now - start >= .seconds(1) else { return }
        guard Self.lines.withLock({ $0.last == ObjectIdentifier(self) }) else { return }
        let width = stream.style.width ?? 80
        state.withLock { state in
            var text = ""
            for character in state.text.printable where (text + String(character)).columns < width {
                text.append(character)
            }
            try? stream.write("\r\(text)\u{1B}[K")
            (state.isShown, state.shownAt) = (true, .now)
        }
    }
}
