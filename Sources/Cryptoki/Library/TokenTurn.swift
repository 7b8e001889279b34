// SPDX-License-Identifier: Apache-2.0
import Token

/// The token that a slot's sessions work with. One call at a time has the turn to use it, and no other thread reaches
/// the `Token` during that; a copy of its state is here for the others.
struct TokenTurn {
    /// The token's state when the last turn ended.
    struct State {
        let login: Token.Role?
        /// The serial number; see `Token.serial`.
        let serial: [UInt8]
        /// Whether commands go through a secure channel.
        let isProtected: Bool
        /// Whether commands go to the card as they are.
        let isPlain: Bool
    }

    /// Whether a call has the turn.
    var isTaken = false
    /// Used by the call that has the turn only.
    private(set) var token: Token?
    private(set) var state: State?
    /// Tokens that were let go, to be disconnected in a turn.
    private var leaving: [Token] = []

    /// Connected, in this turn.
    mutating func take(_ token: Token) {
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
    mutating func nextLeaving() -> Token? { leaving.popLast() }
}

extension TokenTurn.State {
    init(_ token: Token) {
        login = token.login
        serial = token.serial
        isProtected = token.isProtected
        isPlain = token.isPlain
    }
}
