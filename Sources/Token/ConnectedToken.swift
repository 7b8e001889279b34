// SPDX-License-Identifier: Apache-2.0

package import APDU
import Locking
import Secrets
import SecureChannel

/// A token in a reader: the card's commands as Swift methods.
///
/// One thread at a time. Every method that reaches the card does so in one transaction of its own.
package final class ConnectedToken {
    let session: CardSession

    /// The roles that can be logged in.
    package enum Role: UInt8, Sendable {
        case securityOfficer = 1
        case user = 2
    }

    /// Acquires the card behind `link` and finds out how to speak to it.
    ///
    /// - Parameter tokens: What the process knows of tokens by now.
    package init(
        reader: String, link: any CardLink, settings: TokenSettings, tokens: KnownTokens, history: ChannelHistory
    ) throws(TokenError) {
        guard let model = TokenModel(atr: link.atr) else { throw .unsupported }
        let identity = CardIdentity(reader: reader, model: model, atr: link.atr)
        session = CardSession(identity, link: link, settings: settings, tokens: tokens, history: history)
        try exclusively { card throws(TokenError) in
            card.seeAir()
            try card.discover()
            card.seePINPad()
        }
    }

    deinit { disconnect() }

    /// The PC/SC name of the reader.
    package var reader: String { session.identity.reader }
    package var model: TokenModel { session.identity.model }
    /// The answer to reset.
    package var atr: [UInt8] { session.identity.atr }
    /// The serial number, eight bytes, big-endian; empty if an unprotected token on a wireless reader was not asked.
    package var serial: [UInt8] { session.identity.serial }
    /// Whether the token is reached over the air (GSC/1, 4).
    package var isWireless: Bool { session.identity.isWireless }
    /// The logged-in role.
    package var login: Role? { session.login.role }
    /// Whether work is possible, or the channel has to be activated before.
    package var isActivated: Bool { session.protection.isActivated && session.refusal == nil }
    /// Whether commands go through a secure channel.
    package var isProtected: Bool { session.isProtected }
    /// Whether commands go to the card as they are.
    package var isPlain: Bool { session.isPlain }
    /// Whether PINs can be typed at the reader. It cannot send them through a secure channel.
    package var hasPINPad: Bool { session.pinPad != nil && session.isPlain }
    /// Whether the last call sent a command that must not run twice, so that it must not be repeated (GSC/1, 15.2 b).
    package var hasActed: Bool { session.progress.hasActed }
    /// The card's last answer.
    package var lastExchange: CardExchange? { session.progress.lastExchange }
    /// When the token last answered.
    package var lastContact: Duration { session.progress.lastContact }

    /// Makes sure that the token is usable: its channel is open, if it has one. A new channel is proved by its first
    /// use.
    package func prepare() throws(TokenError) {
        try transaction(first: .none) { _ throws(TokenError) in }
    }

    /// Makes sure that the card is still the one in its reader, without a command.
    package func requirePresence() throws(TokenError) {
        try exclusively { _ throws(TokenError) in }
    }

    /// Goes on with a token that was away, over a new connection. The login persists if the PIN is kept: the next
    /// transaction opens the channel and presents it, or without a channel presents it when needed.
    ///
    /// - Throws: ``TokenError/anotherToken`` if the token has no channel and is not the token that was away;
    ///   ``TokenError/activationNeeded`` if it has been paired with since, so that nothing may go in plain any more.
    package func resume(over link: any CardLink) throws(TokenError) {
        session.replaceLink(by: link)
        guard session.isPlain else { return }
        try session.requireUnpaired()
        try transaction { _ throws(TokenError) in }
    }

    /// Forgets the login, without a command to the card.
    package func forgetLogin() { session.forgetLogin() }
}
