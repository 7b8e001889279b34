// SPDX-License-Identifier: Apache-2.0
// error: 'Transaction' initializer is inaccessible due to 'fileprivate' protection level
@testable import Token

/// Only a token begins transactions.
func begin(_ token: ConnectedToken) -> Transaction { Transaction(token.session) }
