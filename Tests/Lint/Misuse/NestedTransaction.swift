// SPDX-License-Identifier: Apache-2.0
// error: capture of 'token' with non-Sendable type 'ConnectedToken' in a '@Sendable' closure
@testable import Token

/// A nested transaction would forget the commands that the outer one has sent.
func nest(_ token: ConnectedToken) throws(TokenError) {
    try token.transaction { _ throws(TokenError) in try token.logOut() }
}
