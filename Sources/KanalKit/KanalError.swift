// SPDX-License-Identifier: Apache-2.0

import APDU
import Asking
package import HostCrypto
import SecureChannel
import Storage
import Token
import Tokens
package import Translation

/// Why something could not be done with a token.
///
/// ``description`` names the cause and, if possible, the remedy. It never has a PIN, a password or data in it.
public enum KanalError: Error, Sendable, Equatable {
    /// There is nothing to search: the service that reads cards does not serve this process.
    case notStarted(Obstacle)
    /// No token is as the application wants it, after the last attempt.
    case notFound
    /// Several tokens match the name. The associated values describe each.
    case ambiguous([Explanation])
    /// The token is not in its reader, and did not come back in time.
    case tokenAbsent
    /// The field session was closed by the user, or its time was over, before the work was done.
    case fieldEnded
    /// Another token is in the place of this one. Only the question about its identity was sent to it.
    case wrongToken
    /// The token's secure channel has to be activated first: ``Token/activate(password:prompt:)``.
    case notActivated
    /// The token no longer knows this host, because its pairing was removed on the token:
    /// ``Token/activate(password:prompt:)`` makes a new one.
    case pairingRevoked
    /// Another user of the same pairings has activated a token of this number with another key than this user knows: it
    /// was formatted at the maker's, or it is not the same token. ``Token/activate(password:prompt:)`` accepts its key.
    case tokenKeyChanged
    /// The token offers no secure channel, and is not used without one: its reader is wireless, or `kanal.conf` requires a
    /// channel. No password helps. A token that had a channel was replaced, or was formatted at the maker's.
    case channelMissing
    /// The token's secure channel cannot be opened, for this reason. No password helps before that is mended.
    case channelUnusable(Explanation)
    /// The PIN is wrong. `nil` if the token does not report the tries that are left.
    case pinIncorrect(triesLeft: Int?)
    /// The PIN has no tries left. The security officer can unblock it.
    case pinLocked
    /// The new PIN is shorter or longer than the token allows.
    case pinLength
    /// The work needs the PIN, and none was given to `Token.perform`.
    case pinNeeded
    /// The activation password is wrong or malformed. `nil` if the token does not report the tries that are left, or
    /// was not asked.
    case passwordIncorrect(triesLeft: Int?)
    /// The activation password has no tries left. The security officer can make a new one.
    case passwordLocked
    /// The task was cancelled while it waited, or the user refused. No command was interrupted on the token.
    case cancelled
    /// The user was to be asked by the authenticator of `kanal.conf`, and did not answer in time, or it broke. The
    /// associated value is the reason.
    case askingFailed(Explanation)
    /// The authenticator of `kanal.conf` is not there, or cannot run. The associated value names it and the reason.
    case authenticatorNotInstalled(Explanation)
    /// `kanal.conf` does not say how to ask the user.
    case authenticatorNotConfigured
    /// `Token.perform` was called for a token from within its own block.
    case nested
    /// The object is not on the token any more.
    case objectNotFound
    /// A signed message is not accepted.
    case messageRefused(MessageFault)
    /// An encrypted message is not opened.
    case messageNotDecrypted(DecryptionFault)
    /// A time stamp does not count, or an authority did not make it.
    case timeStampRefused(TimeStamp.Fault)
    /// The application passed an invalid value.
    case invalidArgument(Explanation)
    /// The token or the library refused. `code` is the name of the return value of PKCS #11.
    case refused(code: String, reason: Explanation)

    /// Why there is nothing to search.
    public enum Obstacle: Sendable, Equatable {
        /// pcscd does not run, or its socket cannot be reached.
        case noService
        /// libpcsclite, by which pcscd is reached, is not installed.
        case noServiceLibrary
        /// pcscd and libpcsclite are of different versions that do not understand each other.
        case serviceIncompatible
        /// pcscd does not let this user in, or has all clients that it allows.
        case serviceRefuses
        /// The application's own transport is off, or not permitted.
        case transportOff
        /// The application has ended the manager.
        case stopped
        /// No more file descriptors.
        case noDescriptors
        /// The process has changed its root directory (chroot(2)), where pcscd is not looked for.
        case rootDirectoryChanged
    }
}

extension KanalError.Obstacle {
    /// - Returns: Nil if the service serves this process, as far as the error shows.
    init?(_ error: LinkError) {
        switch error {
        case .noService, .redirected: self = .noService
        case .noLibrary: self = .noServiceLibrary
        case .incompatible: self = .serviceIncompatible
        case .refused: self = .serviceRefuses
        case .noDescriptors: self = .noDescriptors
        case .rootChanged: self = .rootDirectoryChanged
        default: return nil
        }
    }
}

extension KanalError {
    init(_ error: TokensError) {
        self =
            switch error {
            case .token(.pinIncorrect, _): .pinIncorrect(triesLeft: nil)
            case .token(.pinLocked, _), .token(.channel(.slotBlocked), _): .pinLocked
            case .token(.pinLength, _): .pinLength
            case .token(.notLoggedIn, _): .pinNeeded
            case .token(.notFound, _), .keyDeleted, .noPairing, .refused(.object, _): .objectNotFound
            case .noCard, .sessionEnded: .tokenAbsent
            case .token(.link(.noCard), _), .token(.link(.mute), _): .tokenAbsent
            case .token where error.isRemoval: .tokenAbsent
            case .ended: .notStarted(.stopped)
            case .unanswered(.cancelled), .token(.notTyped(.cancelled), _): .cancelled
            case .token(.notTyped(.timedOut), _): .askingFailed(Explanation(error))
            case .unanswered(.failed(let reason)): .askingFailed(Explanation(reason))
            case .unanswered(.notInstalled(let reason)): .authenticatorNotInstalled(Explanation(reason))
            case .unanswered(.notConfigured): .authenticatorNotConfigured
            case .refused(.arguments, let reason): .invalidArgument(Explanation(reason.phrase))
            case .computation(.libraryFailure): KanalError(host: .libraryFailure)
            default: .refused(code: error.code, reason: Explanation(error))
            }
    }

    /// The error of a computation of the host, with cause and remedy if libcrypto is missing.
    package init(host error: HostCryptoError) {
        let missing = error == .libraryFailure ? Reason(LibraryContext.presence) : nil
        self = .refused(
            code: "CKR_FUNCTION_FAILED",
            reason: missing.map { Explanation($0.phrase) } ?? "libcrypto has failed: \(error)")
    }

    /// The error of opening a session, which a token refuses that has to be activated.
    ///
    /// - Parameters:
    ///   - hasHome: Whether the user has a place for pairings.
    ///   - state: The state of the channel.
    init(opening error: TokensError, hasHome: Bool, _ state: () throws(TokensError) -> ChannelInfo.State) {
        guard error.needsActivation else {
            self =
                error.tokenError?.closesChannel == true ? .channelUnusable(Explanation(obstacle: error)) : .init(error)
            return
        }
        do throws(TokensError) {
            self =
                switch try state() {
                case .forgotten: .pairingRevoked
                case .keyChanged: .tokenKeyChanged
                case .missing: .channelMissing
                case .inactive, .none: .notActivated
                case .unusable: .channelUnusable(Explanation(obstacle: error, hasHome: hasHome))
                case .active: KanalError(error)
                }
        } catch {
            self.init(error)
        }
    }

    /// The error of an activation, where two values mean the password.
    init(activation error: TokensError) {
        self =
            switch error.tokenError {
            case .channel(.passwordRejected(let count)): .passwordIncorrect(triesLeft: count)
            case .channel(.passwordInvalid), .channel(.slotUnusable): .passwordIncorrect(triesLeft: nil)
            case .channel(.slotBlocked), .pinLocked: .passwordLocked
            default: KanalError(error)
            }
    }
}

extension Explanation {
    /// Why a channel cannot be opened. A token that wants to be activated, and cannot be, reports no reason itself.
    fileprivate init(obstacle error: TokensError, hasHome: Bool = true) {
        switch error {
        case .token(.activationNeeded, _):
            self.init(
                hasHome
                    ? Reason(.channel(.profileUnsupported), after: nil)
                    : Reason(.homeMissing, "the user has no home directory, in which pairings are kept"))
        case .token(let error, let exchange): self.init(Reason(error, after: exchange))
        default: self.init(error)
        }
    }

    /// The cause of an error.
    fileprivate init(_ error: TokensError) { self.init(error.reason ?? "it is refused") }
}

extension KanalError: CustomStringConvertible {
    public var description: String { explanation.description }

    package var explanation: Phrase {
        switch self {
        case .notStarted(.noService): "pcscd does not run: start it, for instance by systemctl start pcscd"
        case .notStarted(.noServiceLibrary):
            "libpcsclite.so.1 is not installed: install the package libpcsclite1, or pcsc-lite-libs"
        case .notStarted(.serviceIncompatible):
            "pcscd and libpcsclite are of different versions, and do not understand each other: use the same version of both"
        case .notStarted(.serviceRefuses):
            "pcscd does not serve this user: polkit does not allow access_pcsc, or other programs have all of its connections"
        case .notStarted(.transportOff):
            "what the application reaches tokens by is off, or not permitted: switch it on in the system's settings"
        case .notStarted(.stopped): "the token manager has been ended"
        case .notStarted(.noDescriptors): "the process has no file descriptors left"
        case .notStarted(.rootDirectoryChanged):
            """
            the process has changed its root directory (chroot), and pcscd is not looked for in the new one: let the \
            program find its token and log in before it does
            """
        case .notFound: "no matching token"
        case .ambiguous(let candidates):
            "several tokens have this name: \(Phrase(listing: candidates.map(\.phrase)))"
        case .tokenAbsent: "the token is not in its reader"
        case .fieldEnded:
            "the field was closed before the work was done: begin again, and hold the token to the device until the end"
        case .wrongToken: "another token is in the place of this one: put the right one back"
        case .notActivated: "the token has to be activated first, with its activation password"
        case .pairingRevoked: "the token no longer knows this host: it has to be activated again"
        case .tokenKeyChanged:
            "the token has a different key than before: if that is expected, activate it with its activation password"
        case .channelMissing:
            """
            the token offers no secure channel, and is not used without one; no password helps: if it had one before, it \
            may be another token; otherwise see require_sm and plain_bluetooth in kanal.conf
            """
        case .channelUnusable(let reason): "the token's secure channel cannot be opened: \(reason.phrase)"
        case .pinIncorrect(nil): "the PIN is wrong"
        case .pinIncorrect(let tries?): "the PIN is wrong; tries left: \(tries)"
        case .pinLocked: "the PIN has no tries left: the security officer can unblock it"
        case .pinLength: "the PIN is shorter or longer than the token allows"
        case .pinNeeded: "the PIN is needed for this"
        case .passwordIncorrect(nil): "the activation password is wrong or malformed"
        case .passwordIncorrect(let tries?): "the activation password is wrong; tries left: \(tries)"
        case .passwordLocked:
            """
            the activation password has no tries left: use another one, or the security officer makes a new one on a \
            machine that is paired with the token
            """
        case .cancelled: "it was cancelled"
        case .askingFailed(let reason): "the user could not be asked: \(reason.phrase)"
        case .authenticatorNotInstalled(let reason):
            "the authenticator of kanal.conf is not there, or cannot run: \(reason.phrase)"
        case .authenticatorNotConfigured: "kanal.conf names no way to ask the user: set authenticator"
        case .nested: "this token is being worked with in the same block"
        case .objectNotFound: "the object is not on the token any more"
        case .messageRefused(let fault): "the message is not accepted: \(fault.explanation)"
        case .messageNotDecrypted(let fault): "the message is not opened: \(fault.explanation)"
        case .timeStampRefused(let fault): "the time stamp is not accepted: \(fault.explanation)"
        case .invalidArgument(let reason): reason.phrase
        case .refused(let code, let reason): "\(reason.phrase) (\(code))"
        }
    }
}

/// Runs `body`, and translates its error into the terms of this library.
func kanalError<Result: ~Copyable>(_ body: () throws(TokensError) -> Result) throws(KanalError) -> Result {
    do throws(TokensError) { return try body() } catch { throw KanalError(error) }
}

/// The OpenSSL that the library uses on this machine.
package enum HostLibrary {
    /// Whether there is a libcrypto that has all functions that are used. It is loaded now, if it was not.
    package static var isUsable: Bool {
        if case .version = LibraryContext.presence { return true }
        return false
    }
}
