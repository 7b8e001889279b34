// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Terminal
import Translation

/// The consent to what cannot be undone.
struct ConfirmationOptions: ParsableArguments {
    @Flag(help: .saying("Do it without asking."))
    var yes = false

    /// Says what will be lost, and asks for consent unless `--yes` was given.
    func require(_ loss: Phrase) throws {
        guard !yes else { return }
        let answer: String
        do throws(Console.Failure) {
            let console = try Console()
            console.show((translated(loss).printable + "\n").wrapped(to: console.style.width))
            answer = try console.line(translated("Type yes to go on: "))
        } catch {
            guard case .none = error else { throw error }
            throw CommandError(.usage, "\(loss) Say --yes to do it: there is no terminal to ask on")
        }
        guard answer == "yes" else { throw CancellationError() }
    }
}
