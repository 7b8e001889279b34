// SPDX-License-Identifier: Apache-2.0
// error: lifetime-dependent variable 'session' escapes its scope
import KanalKit

nonisolated(unsafe) var kept: (() throws -> Int)?

func work(_ token: Token) async throws {
    try await token.perform { session in
        kept = { try session.certificates().count }
    }
}
