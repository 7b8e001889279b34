// SPDX-License-Identifier: Apache-2.0

import APDU
import Token
import Translation

/// The presence of the token that a slot's sessions work with (GSC/1, 15.3).
package enum TokenPresence: Sendable, Equatable {
    /// It was never away.
    case normal
    /// It is away, and its sessions wait for it until this time after the system's start.
    case waitingForToken(until: Duration)
    /// A different token, or one without proof of its identity, is in its place. The sessions have ended.
    case wrongToken
    /// It was away, and work goes on.
    case completed

    /// The state's name in the log.
    var description: String {
        switch self {
        case .normal: "normal"
        case .waitingForToken: "waiting for token"
        case .wrongToken: "wrong token"
        case .completed: "completed"
        }
    }

    /// The identifier of the state in the log; nil if all is well.
    var messageID: MessageID? {
        switch self {
        case .normal, .completed: nil
        case .waitingForToken: .cardWaiting
        case .wrongToken: .tokenOther
        }
    }
}
