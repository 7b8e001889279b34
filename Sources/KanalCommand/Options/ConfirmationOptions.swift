// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KanalKit
import Terminal
import Translation

/// The consent to what cannot be undone.
struct ConfirmationOptions: ParsableArguments {
    @Flag(help: .saying("Do not ask for confirmation."))
    var yes = false

    /// The answers that consent, in both languages.
    private static let consents = ["yes", "да"]

    /// Names the loss, and asks for consent unless `--yes` was given.
    func require(_ loss: Phrase) throws {
        guard !yes else { return }
        let answer: String
        do throws(Console.Failure) {
            let console = try ProgramContext.current.terminal()
            console.show((translated(loss).printable + "\n").wrapped(to: console.style.width))
            answer = try console.line(translated("Type yes to go on: "))
        } catch {
            guard case .none = error else { throw error }
            throw CommandError(.usage, "\(loss) There is no terminal to ask on: confirm with --yes")
        }
        guard Self.consents.contains(answer.lowercased()) else { throw CancellationError() }
    }
}
