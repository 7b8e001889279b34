// SPDX-License-Identifier: Apache-2.0

import Secrets

/// A connection to a card that no other process can reach. Its commands need no transaction.
package protocol OwnedCard: CardConnection {
    /// The card's answer to reset.
    var atr: [UInt8] { get }

    /// Whether the card has not left the reader. No command is sent.
    var isThere: Bool { get }

    /// Clears the card's volatile state: logins, the selected file, the security environment.
    func reset() throws(LinkError)

    /// Resets the card, and releases it.
    func giveBack()
}
