// SPDX-License-Identifier: Apache-2.0
import KanalESIA
import KanalKit
import KanalXML
import Terminal
import Translation

/// The exit status of the command.
package enum ExitStatus: Int32, Sendable {
    case done = 0
    /// The token, the library or the system refused.
    case failed = 1
    case usage = 2
    /// No token is present, none matches, or several do.
    case noToken = 3
    /// The PIN or the password is wrong.
    case wrongPIN = 4
    /// The PIN or the password has no tries left.
    case locked = 5
    case cancelled = 6
    case notActivated = 7
    /// The program that asks or authorises is not there, or cannot run.
    case notInstalled = 8
    /// No way to ask is configured.
    case notConfigured = 9
    /// The token has no secure channel, or it cannot be opened, and no password mends that.
    case noChannel = 10
    /// A signature is good at the time that its stamp proves, and not now.
    case goodAtItsTime = 11
    /// Whether a signature is good cannot be known.
    case unknown = 12

    /// The status for an error; nil for an error of the command line, which its parser reports.
    init?(of error: any Error) {
        switch error {
        case let error as KanalError: self.init(error)
        case let error as CommandError: self = error.status
        case is AuthorityFailure, is XMLFault: self = .failed
        case let error as AuthorizationError: self.init(error.outcome)
        case is CallbackError: self = .failed
        case let error as SharedSecretsError: self.init(error)
        case let error as PairingKeyError: self = error == .cancelled ? .cancelled : .failed
        case let error as ESIAError: self = error.isUsersRefusal ? .cancelled : .failed
        case is CancellationError: self = .cancelled
        case Console.Failure.interrupted: self = .cancelled
        case let error as SystemError where error.isInterruption: self = .cancelled
        case SecretSource.Failure.system(let error): self.init(of: error)
        case is ResultRefusal, is SystemError, is SecretSource.Failure, is Console.Failure, is ChildProgram.Failure:
            self = .failed
        default: return nil
        }
    }

    private init(_ error: KanalError) {
        self =
            switch error {
            case .notStarted, .notFound, .ambiguous, .tokenAbsent, .fieldEnded, .wrongToken: .noToken
            case .notActivated, .pairingRevoked, .tokenKeyChanged: .notActivated
            case .channelMissing, .channelUnusable: .noChannel
            case .pinIncorrect(triesLeft: 0), .passwordIncorrect(triesLeft: 0): .locked
            case .pinIncorrect, .passwordIncorrect: .wrongPIN
            // The password of a container.
            case .refused("CKR_PIN_INCORRECT", _): .wrongPIN
            case .pinLocked, .passwordLocked: .locked
            case .cancelled: .cancelled
            case .invalidArgument: .usage
            case .authenticatorNotInstalled: .notInstalled
            case .authenticatorNotConfigured: .notConfigured
            case .askingFailed, .pinLength, .pinNeeded, .nested, .objectNotFound, .messageRefused,
                .messageNotDecrypted, .timeStampRefused, .refused:
                .failed
            }
    }

    init(_ verdict: Verdict) {
        self =
            switch verdict {
            case .good: .done
            case .goodAtItsTime: .goodAtItsTime
            case .unknown: .unknown
            case .wrong: .failed
            }
    }

    private init(_ error: SharedSecretsError) {
        self =
            switch error {
            case .invalidArgument: .usage
            case .cancelled: .cancelled
            default: .failed
            }
    }

    private init(_ outcome: Outcome) {
        self =
            switch outcome {
            case .success: .done
            case .cancel: .cancelled
            case .failure: .failed
            case .notInstalled: .notInstalled
            case .notConfigured: .notConfigured
            }
    }

    /// The message of an error for people; nil for none.
    static func message(of error: any Error) -> Phrase? {
        switch error {
        case KanalError.cancelled, AuthorizationError.cancelled, is CancellationError, Console.Failure.interrupted:
            "cancelled"
        case KanalError.pinIncorrect(triesLeft: 0):
            "the PIN was wrong, and has no tries left: the security officer can unblock it, by \"kanal pin unblock\""
        case KanalError.passwordIncorrect(triesLeft: 0):
            """
            the activation password was wrong, and has no tries left: use another one, or the security officer makes a \
            new one, by "kanal pairings password" on a machine that is paired with the token
            """
        case let error as CallbackError: "the answer is refused: \(error.explanation)"
        case SecretSource.Failure.system(let error): message(of: error)
        case let error as SystemError where error.isClosedPipe: nil
        case let error as SystemError where error.isInterruption: "cancelled"
        case let error as any Explained: error.explanation
        default: Phrase(verbatim: "\(error)")
        }
    }
}

extension KanalError: Explained {}

extension AuthorizationError: Explained {}

extension CallbackError: Explained {}

extension SharedSecretsError: Explained {}

extension PairingKeyError: Explained {}

extension ESIAError: Explained {}
