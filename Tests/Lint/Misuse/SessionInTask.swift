// SPDX-License-Identifier: Apache-2.0
// error: passing closure as a 'sending' parameter risks causing data races between code in the current task and concurrent execution of the closure
import KanalKit

func work(_ token: Token) async throws {
    try await token.perform { session in
        Task { _ = try? session.certificates() }
    }
}
