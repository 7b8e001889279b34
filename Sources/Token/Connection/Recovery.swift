// SPDX-License-Identifier: Apache-2.0
import APDU
import Locking
import SecureChannel
import Secrets
import Translation

/// Recovery from failures on the way to the card (GSC/1, 12, 15.2, 15.3 and 16). This is the whole policy;
/// ``Transaction`` and the slot that holds the token carry it out.
///
/// | What failed | What was sent before | What happens |
/// |---|---|---|
/// | Connecting, by something that passes | nothing | connected once more, for a second |
/// | The reader's transaction, by something that passes | nothing | asked for once more after 100 ms |
/// | The card was reset | what may run twice | a new transaction, a new channel, the call once more |
/// | A command or answer was lost or spoilt, or the channel broke | what may run twice | a new channel, the retained PIN, the call once more |
/// | The same, in the question for the change counter with a channel that was open | nothing else | a new channel, the retained PIN |
/// | The token is gone | what may run twice | the call waits for its return, where it may be away, and runs once more |
/// | The token is gone | anything else | the sessions wait for its return; the call fails |
/// | A transmission failed | anything | the reader is asked for 600 ms whether the token is gone |
/// | Any of these | a command that must not run twice, and that may have reached the card | the call fails; the next one recovers |
/// | Another token is there | anything | the sessions end; it gets neither PIN nor command |
///
/// A command may run twice if its `isIdempotent` is true.
package enum Recovery {
    /// The call fails.
    case none
    /// The call runs once more, in a new transaction of the reader.
    case newTransaction
    /// The call runs once more, in a new channel if the token has one.
    case newChannel
    /// The call runs once more when the token is back.
    case afterReturn
}

extension TokenError {
    /// The recovery of a call that failed.
    ///
    /// - Parameter hasActed: Whether the call sent a command that must not run twice.
    package func recovery(afterActing hasActed: Bool) -> Recovery {
        if hasActed { return .none }
        if self == .link(.reset) { return .newTransaction }
        if isDisturbance { return .newChannel }
        return isAbsence ? .afterReturn : .none
    }

    /// Whether command or answer was lost or corrupted on a link that still has the card at its other end.
    var isDisturbance: Bool {
        switch linkError {
        case .channelBroken, .transmission, .malformed: true
        default: false
        }
    }

    /// Whether the token is no longer there.
    package var isAbsence: Bool {
        switch linkError {
        case .noCard, .mute, .noService, .incompatible, .noLibrary, .redirected, .rootChanged, .removed: true
        default: false
        }
    }

    /// Whether the reason may be that the token left in the middle of a command.
    package var mayBeAbsence: Bool {
        if case .transmission = linkError { true } else { false }
    }

    /// Whether a token could not prove to be the token that its sessions were opened with.
    package var isForeignToken: Bool {
        switch self {
        case .channel(.link), .channel(.randomUnavailable), .channel(.storage): false
        case .channel, .activationNeeded, .unsupported, .anotherToken: true
        default: false
        }
    }
}

extension Transaction {
    /// Runs `body` with the channel open and the login in force, and once more if the way to the card is disturbed before
    /// it has acted.
    func run<Result: ~Copyable>(
        _ body: (borrowing Transaction) throws(TokenError) -> Result, first: FirstCommand
    ) throws(TokenError) -> Result {
        if case .unknown(let error) = session.protection { throw error }
        guard session.protection.isActivated else { throw .activationNeeded }
        do throws(TokenError) {
            if first != .none { try proveIdentity() }
            switch first {
            case .read where isChannelReady: break
            case .act where isPlain || isChannelReliable: break
            case .none where isPlain: break
            case .none where channel?.isOpen != true && login == nil: try openChannelIfNeeded()
            default: try establish()
            }
            return try body(self)
        } catch {
            guard error.isDisturbance else { throw error }
            session.history.countLoss(at: settings.clocks.uptime.now)
            guard error.recovery(afterActing: session.progress.hasActed) == .newChannel else { throw error }
            try proveIdentity()
            try establish()
            return try body(self)
        }
    }

    /// Undoes what a failed call has begun, as far as the card can be reached.
    ///
    /// - Returns: The error of the call, unless this finds a different token: its sessions must end.
    func undoing(_ error: TokenError, _ body: () throws(TokenError) -> Void) -> TokenError {
        guard error != .anotherToken else { return error }
        do throws(TokenError) { try body() } catch let found { return found == .anotherToken ? found : error }
        return error
    }

    /// Opens the channel if it is closed, and puts the login in force.
    func establish() throws(TokenError) {
        let hadChannel = channel?.isOpen == true
        do throws(TokenError) {
            try openChannelIfNeeded()
            try readChangeCounter()
            try renewChannelIfNeeded()
        } catch {
            // The card lost our session, most often to another process: detected here, once.
            guard hadChannel, error.isDisturbance else { throw error }
            session.history.countLoss(at: settings.clocks.uptime.now)
            try openChannelIfNeeded()
            try readChangeCounter()
        }
        if session.login.mustPresentPIN { try presentRetainedPIN() }
    }

    /// Whether commands can be sent at once, if it is acceptable that one fails.
    private var isChannelReady: Bool {
        if isPlain { return true }
        return channel?.isOpen == true && channel?.needsRenewal == false && !session.login.mustPresentPIN
    }

    /// Whether a call may begin with a command that must not run twice (GSC/1, 16): the channel was not reset and has
    /// answered, the token has sessions for several hosts, and none of ours was lost recently. A loss of the card shows
    /// before the command.
    private var isChannelReliable: Bool {
        guard let channel, isChannelReady, !channel.isProvisional, link.noticesLoss else { return false }
        return channel.capabilities.sessions > 1 && !session.history.isContended(at: settings.clocks.uptime.now)
    }

    /// Presents the retained PIN, in a channel that was opened again (GSC/1, 15.3) or to a card that has forgotten the
    /// login: once, and a rejected PIN ends the login. Without a retained PIN the login has ended already.
    func presentRetainedPIN() throws(TokenError) {
        session.login.mustPresentPIN = false
        guard let role = login, let pin = session.login.pin?.copy() else { return session.forgetLogin() }
        let hadActed = session.progress.hasActed
        do throws(TokenError) {
            try present(pin, as: role.rawValue)
            // The presentation does not belong to the call, which may be repeated after it.
            session.progress.hasActed = hadActed
        } catch {
            // A card that could not be asked has not refused. It is not asked twice in a call: that may cost two tries.
            if case .link = error, session.returnsRights { throw error }
            session.progress.hasActed = hadActed
            if error.linkError?.isUnsent == true {
                session.login.mustPresentPIN = true
                throw error
            }
            session.forgetLogin()
            session.warn(.pinNotTakenAgain, "the PIN was not taken again: the login is over")
            throw .notLoggedIn
        }
    }
}
