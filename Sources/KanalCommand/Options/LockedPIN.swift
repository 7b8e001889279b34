// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Terminal
import Translation

/// A PIN without tries. Each has a way out of its own.
enum LockedPIN {
    case user, officer
    case local(Int)

    init(_ role: Role) {
        self =
            switch role {
            case .user: .user
            case .securityOfficer: .officer
            }
    }

    /// The error in place of a question.
    var refusal: CommandError {
        switch self {
        case .user:
            CommandError(
                .locked,
                """
                the PIN has no tries left: "kanal pin unblock" restores them, with the security officer's PIN
                """, of: KanalError.pinLocked, remedy: remedy)
        case .officer:
            CommandError(
                .locked,
                """
                the security officer's PIN has no tries left: only "kanal format --officer-locked" helps, which erases the \
                token
                """, of: KanalError.pinLocked, remedy: remedy)
        case .local(let number):
            CommandError(
                .locked,
                """
                the local PIN \(number) has no tries left: only "kanal format" helps, which erases the token
                """, of: KanalError.pinLocked, remedy: remedy)
        }
    }

    /// The error after the last wrong PIN.
    var loss: any Error {
        switch self {
        case .user: KanalError.pinIncorrect(triesLeft: 0)
        case .officer:
            CommandError(
                .locked,
                """
                the security officer's PIN was wrong, and has no tries left. The user's PIN works as before; a new officer's \
                PIN takes "kanal format --officer-locked", which erases the token
                """, of: KanalError.pinLocked, remedy: remedy)
        case .local(let number):
            CommandError(
                .locked,
                """
                the local PIN \(number) was wrong, and has no tries left: only "kanal format" helps, which erases the token
                """, of: KanalError.pinLocked, remedy: remedy)
        }
    }

    /// The error of a token with the remedy for this PIN; nil for another error.
    func remedied(_ error: any Error) -> (any Error)? {
        switch error as? KanalError {
        case .pinIncorrect(triesLeft: 0)?: loss
        case .pinLocked?: refusal
        default: nil
        }
    }

    private var remedy: String {
        switch self {
        case .user: ErrorReport.command("kanal pin unblock")
        case .officer: ErrorReport.command("kanal format --officer-locked")
        case .local: ErrorReport.command("kanal format")
        }
    }
}
