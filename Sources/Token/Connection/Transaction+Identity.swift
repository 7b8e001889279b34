// SPDX-License-Identifier: Apache-2.0
import APDU
import SecureChannel
import Translation

/// Whether the card that is spoken to is the one that it was found to be (GSC/1, 15.3).
///
/// A channel proves that by itself. Without one the serial number is read in each transaction before anything else: the
/// smart card service polls a reader several times a second, and no event, reset or error tells of a card that was
/// replaced between two polls. An earlier transaction, and a transaction that lost an answer since, prove nothing of
/// the card that is there now.
extension Transaction {
    /// Reads the serial number of a card without a channel, unless this transaction has done so. A different or missing
    /// one ends the login; the card gets no further command.
    func proveIdentity() throws(TokenError) {
        guard isPlain, !notes.isProven else { return }
        let answer = try send(CardCommand.serial)
        guard answer.status == .success, answer.data == session.identity.serial else { throw foundAnother() }
        notes.isProven = true
    }

    /// Makes sure that a card whose channel could not be opened is at least the one that it was. Its answer is not
    /// authenticated: it can end sessions that are worth nothing with this card, and nothing else.
    func requireSameOffer() throws(TokenError) {
        guard let discovery = try? discovery() else { return }
        switch discovery {
        case .present(let capabilities, _) where capabilities.serial == session.identity.serial: return
        case .present, .absent: throw foundAnother()
        }
    }

    /// Ends the login because the reader holds a different card, on which others keep their rights.
    func foundAnother() -> TokenError {
        let wasLoggedIn = login != nil
        session.forgetLogin()
        notes.heldRights = []
        if wasLoggedIn {
            session.report(
                .attackTokenReplaced, "another token is in the place of the one that is logged in: it gets no PIN")
        }
        return .anotherToken
    }
}
