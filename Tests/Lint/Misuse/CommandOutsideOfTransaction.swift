// SPDX-License-Identifier: Apache-2.0
// error: value of type '(borrowing Transaction) -> any CardLink' has no member 'exchangeSecret'
import APDU
@testable import Token

/// The card is handed out to a transaction only.
func send(_ command: borrowing Command, to token: ConnectedToken) throws(LinkError) {
    _ = try token.session.link.exchangeSecret(command)
}
