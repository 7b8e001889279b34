// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Terminal
import Translation

/// The number of the current file of many, and the progress in it.
struct BatchProgress: Sendable {
    private let verb: Phrase
    private let count: Int
    private let line: ProgressLine

    init(_ work: BatchWork, count: Int) {
        (verb, self.count) = (work.title, count)
        line = ProgressLine("\(verb)…")
    }

    /// Begins a file; the result is called with the number of bytes done.
    func begin(_ number: Int, _ input: InputFile) -> @Sendable (_ done: Int) -> Void {
        let place: Phrase = count > 1 ? "\(number + 1) of \(count), " : ""
        let text: Phrase = "\(verb) \(place)\(input.shownName)"
        let (length, line) = (input.length, line)
        line.update(text)
        return { done in
            let share: Phrase =
                if let length, length > 0 { "\(Int(100 * (Double(done) / Double(length)))) %" } else {
                    "\(done >> 20) MiB"
                }
            line.update("\(text), \(share)")
        }
    }

    func end() { line.end() }
}
