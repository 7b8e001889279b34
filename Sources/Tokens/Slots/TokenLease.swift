// SPDX-License-Identifier: Apache-2.0

import APDU
import SecureChannel
package import Token
import Translation

/// The token that a slot's sessions work with. One call at a time has the turn to use it, and no other thread reaches
/// the `ConnectedToken` during that; a copy of its state is here for the others.
package struct TokenLease {
    /// The token's state when the last turn ended.
    package struct State {
        package let login: ConnectedToken.Role?
        /// The serial number; see `ConnectedToken.serial`.
        package let serial: [UInt8]
        /// Whether commands go through a secure channel.
        package let isProtected: Bool
        /// Whether commands go to the card as they are.
        package let isPlain: Bool
        /// See `ConnectedToken.knownAbilities`.
        package let abilities: TokenAbilities?
        /// Whether the token keeps files only: its abilities are known once it was looked for containers.
        package let keepsFiles: Bool
    }

    /// Whether a call has the turn.
    package var isTaken = false
    /// Used by the call that has the turn only.
    private(set) var token: ConnectedToken?
    package private(set) var state: State?
    /// Tokens that were let go, to be disconnected in a turn.
    private var leaving: [ConnectedToken] = []

    /// Connected, in this turn.
    mutating func take(_ token: ConnectedToken) {
        self.token = token
        update()
    }

    /// Updates the copy of the token's state in this turn.
    mutating func update() {
        state = token.map { State($0) }
    }

    /// Lets the token go, at any time.
    mutating func letGo() {
        if let token { leaving.append(token) }
        token = nil
        state = nil
    }

    /// A token that was let go and has to be disconnected.
    mutating func nextLeaving() -> ConnectedToken? { leaving.popLast() }
}

extension TokenLease.State {
    init(_ token: ConnectedToken) {
        login = token.login
        serial = token.serial
        isProtected = token.isProtected
        isPlain = token.isPlain
        abilities = token.knownAbilities
        keepsFiles = token.model == .lite || token.model == .folder
    }
}
