// SPDX-License-Identifier: Apache-2.0
// error: capture of 'session' with non-Sendable type 'Session' in a '@Sendable' closure
import Dispatch
import KanalKit

func work(_ token: Token) async throws {
    try await token.perform { session in
        DispatchQueue.global().async { _ = try? session.certificates() }
    }
}
