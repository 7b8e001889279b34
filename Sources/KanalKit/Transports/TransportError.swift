// SPDX-License-Identifier: Apache-2.0

import APDU
import Locking

/// The reason why a transport failed.
public enum TransportError: Error, Sendable, Equatable {
    /// The service that the transport needs does not run, or refuses this process.
    case unavailable
    /// No card is in the reader, or no such reader exists. A command was not sent.
    case noCard
    /// The card left the reader. `sent` states whether the last command may have reached it.
    case removed(sent: Bool)
    /// The card was reset, and has lost its state.
    case reset
    /// The card is held exclusively by another program.
    case sharingViolation
    /// The command was sent and no answer came, or it is unknown whether it was sent. `code` is the transport's own.
    case transmission(code: UInt32)
    /// An answer is too short, or a command too long.
    case malformed
    /// The user has closed the field, or its time is over.
    case fieldClosed
}

extension LinkError {
    init(_ error: TransportError) {
        self =
            switch error {
            case .unavailable: .noService
            case .noCard, .fieldClosed: .noCard
            case .removed(let isSent): .removed(sent: isSent)
            case .reset: .reset
            case .sharingViolation: .sharingViolation
            case .transmission(let code): .transmission(code: code)
            case .malformed: .malformed
            }
    }
}
