// SPDX-License-Identifier: Apache-2.0
// error: 'card' is borrowed and cannot be consumed
@testable import Token

/// A transaction that outlives its call could send when another process has the card.
func keep(_ token: ConnectedToken) throws(TokenError) -> Transaction {
    try token.transaction { card throws(TokenError) in card }
}
