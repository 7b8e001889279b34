// SPDX-License-Identifier: Apache-2.0

/// Why a command brought no response.
package enum LinkError: Error, Sendable, Equatable {
    /// The smart card service cannot be reached.
    case noService
    /// The smart card service runs and does not serve this process: it has as many clients as it allows, or does not let
    /// this user in.
    case refused
    /// The smart card service runs, and speaks another version of the protocol than the library by which it is reached.
    case incompatible
    /// The library by which the service is reached is not installed.
    case noLibrary
    /// The environment names a different service, and this process must not listen to it.
    case redirected
    /// The process has changed its root directory, where any user's library or socket may replace the service's.
    case rootChanged
    /// The reader does not exist, or has no card in it.
    case noCard
    /// A card that does not respond (no ATR).
    case mute
    /// The card left the reader. `sent` states whether the command can have reached it.
    case removed(sent: Bool)
    /// Another process reset the card before the command was sent.
    case reset
    /// Another process holds the card for itself.
    case sharingViolation
    /// Another process has kept the card in a transaction for longer than calls wait.
    case kept
    /// The service has as many connections to the reader as it allows.
    case connectionsUsedUp
    /// The transmission failed; the service's code is the reason.
    case transmission(code: UInt32)
    /// The response is shorter than a status word, or the command has no encoding for this reader.
    case malformed
    /// The secure channel met a response that it cannot trust, and closed itself.
    case channelBroken
    /// The operating system could not deliver random bytes.
    case randomUnavailable
    /// The process, or the system, has no descriptor left to reach the service by.
    case noDescriptors

    /// The command's outcome, as far as it is known.
    package enum Outcome: Sendable { case notSent, unknown }

    /// Whether the card can have executed the command.
    package var outcome: Outcome {
        switch self {
        case .noService, .refused, .incompatible, .noLibrary, .redirected, .rootChanged, .noCard, .mute,
            .removed(sent: false), .reset, .sharingViolation, .kept, .connectionsUsedUp, .randomUnavailable,
            .noDescriptors:
            .notSent
        case .removed, .transmission, .malformed, .channelBroken: .unknown
        }
    }

    /// Whether it is certain that the card did not get the command, so that any command may be sent again. The other
    /// errors of outcome ``Outcome/notSent`` are certain for a connection or a transaction only: a service that ends, or
    /// a reader that is pulled out, can take the answer with it.
    package var isUnsent: Bool { self == .removed(sent: false) }

    /// This error, if it was met after a part of the command was sent, or of its answer was fetched.
    package var metAfterPart: LinkError { isUnsent ? .removed(sent: true) : self }

    /// Whether the service does not serve this process at all, whatever is in its readers.
    package var isObstacle: Bool {
        [.noService, .refused, .incompatible, .noLibrary, .redirected, .rootChanged].contains(self)
    }

    /// Whether the same may succeed a moment later: the service or the card is busy, or something was lost on the way.
    package var mayPass: Bool {
        switch self {
        case .noService, .mute, .reset, .sharingViolation, .transmission, .malformed: true
        case .refused, .incompatible, .noLibrary, .redirected, .rootChanged, .noCard, .removed, .kept,
            .connectionsUsedUp, .channelBroken, .randomUnavailable, .noDescriptors:
            false
        }
    }
}

/// Runs `body` after a part of a command was sent, or of its answer was fetched: its errors do not say that the command
/// was not sent.
package func afterPart<Result: ~Copyable>(
    _ body: () throws(LinkError) -> Result
) throws(LinkError) -> Result {
    do throws(LinkError) { return try body() } catch { throw error.metAfterPart }
}
