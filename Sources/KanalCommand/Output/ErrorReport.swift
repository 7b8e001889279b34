// SPDX-License-Identifier: Apache-2.0
import Glibc
import KanalKit
import KanalXML
import Terminal
import Translation

/// The error with which a command ends, as JSON has it.
struct ErrorReport: Encodable, Sendable {
    /// The kind of the error, which stays the same when the words change.
    let id: String
    /// In English; for a wrong command line in the user's language.
    let message: String
    let exitStatus: Int32
    /// The tries that the PIN or the password has left.
    var triesLeft: Int?
    /// A command, or an option of this command, that helps.
    var remedy: String?

    /// - Returns: nil for an error of the command line that its parser found, and for one without words.
    init?(_ error: any Error) {
        guard let status = ExitStatus(of: error), let text = ExitStatus.message(of: error) else { return nil }
        (message, exitStatus) = (text.description.printable, status.rawValue)
        (id, remedy) = Self.kind(of: error)
        triesLeft = (((error as? CommandError)?.cause ?? error) as? KanalError)?.triesLeft
    }

    /// An error of the command line.
    init(commandLine message: String, remedy: String? = nil) {
        self.remedy = remedy
        (id, self.message, exitStatus) = ("command.line", message.printable, ExitStatus.usage.rawValue)
    }

    private static func id(of error: SystemError) -> String {
        switch error.code {
        case ENOENT: "file.missing"
        case EACCES, EPERM: "file.forbidden"
        default: "system.refused"
        }
    }

    private static func id(of status: ExitStatus) -> String {
        switch status {
        case .done, .failed: "failed"
        case .usage: "command.line"
        case .noToken: "token.missing"
        case .wrongPIN: "pin.wrong"
        case .locked: "pin.locked"
        case .cancelled: "cancelled"
        case .notActivated: "activation.needed"
        case .notInstalled: "program.missing"
        case .notConfigured: "program.unknown"
        case .noChannel: "channel.none"
        case .goodAtItsTime: "message.past"
        case .unknown: "message.unknown"
        }
    }

    /// A command line as a remedy.
    static func command(_ line: String) -> String { line }

    /// The kind of an error, and what helps.
    static func kind(of error: any Error) -> (id: String, remedy: String?) {
        switch error {
        case let error as KanalError: return kind(of: error)
        case let error as CommandError:
            let (id, remedy) = error.cause.map(kind) ?? (id(of: error.status), nil)
            return (id, error.remedy ?? remedy)
        case XMLFault.untrusted: return ("message.untrusted", nil)
        case is XMLFault: return ("message.refused", nil)
        case ResultRefusal.exists: return ("result.exists", "--overwrite")
        case is ResultRefusal: return ("result.refused", nil)
        case SecretSource.Failure.system(let error): return kind(of: error)
        case let error as SystemError: return (error.isInterruption ? "cancelled" : id(of: error), nil)
        default: return (id(of: ExitStatus(of: error) ?? .failed), nil)
        }
    }

    private static func kind(of error: KanalError) -> (id: String, remedy: String?) {
        switch error {
        case .notStarted(.noService), .notStarted(.noServiceLibrary), .notStarted(.serviceIncompatible),
            .notStarted(.serviceRefuses):
            ("service.absent", command("kanal doctor"))
        case .notStarted: ("service.unusable", nil)
        case .notFound: ("token.missing", "kanal")
        case .ambiguous: ("token.several", "--token")
        case .tokenAbsent, .fieldEnded: ("token.absent", nil)
        case .wrongToken: ("token.other", nil)
        case .notActivated: ("activation.needed", command("kanal pair"))
        case .pairingRevoked: ("activation.unknown-host", command("kanal pair"))
        case .tokenKeyChanged: ("attack.key-changed", nil)
        case .channelMissing: ("channel.none", nil)
        case .channelUnusable: ("channel.unusable", command("kanal doctor"))
        case .pinLocked, .pinIncorrect(triesLeft: 0): ("pin.locked", command("kanal pin unblock"))
        case .pinIncorrect: ("pin.wrong", nil)
        case .pinLength: ("pin.length", command("kanal info"))
        case .pinNeeded: ("login.needed", "--pin-source")
        case .passwordIncorrect(triesLeft: 0): ("password.locked", nil)
        case .passwordIncorrect: ("password.wrong", nil)
        case .passwordLocked: ("password.locked", command("kanal pairings password"))
        case .cancelled: ("cancelled", nil)
        case .askingFailed: ("authenticator.failed", nil)
        case .authenticatorNotInstalled: ("authenticator.missing", command("kanal doctor"))
        case .authenticatorNotConfigured: ("authenticator.unknown", command("kanal doctor"))
        case .objectNotFound: ("object.missing", command("kanal list"))
        case .messageRefused(.untrusted): ("message.untrusted", nil)
        case .messageRefused: ("message.refused", nil)
        case .messageNotDecrypted: ("message.not-opened", nil)
        case .timeStampRefused: ("timestamp.refused", nil)
        case .invalidArgument: ("command.line", nil)
        case .nested: ("failed", nil)
        case .refused(_, let reason): (reason.id?.rawValue ?? "call.refused", nil)
        }
    }
}

extension KanalError {
    fileprivate var triesLeft: Int? {
        switch self {
        case .pinIncorrect(let tries), .passwordIncorrect(let tries): tries
        case .pinLocked, .passwordLocked: 0
        default: nil
        }
    }
}
