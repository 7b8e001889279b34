// SPDX-License-Identifier: Apache-2.0
// error: lifetime-dependent variable 'session' escapes its scope
// A closure that is kept in a constant could leave the block; a nested function does the same.
import KanalKit

func kept(_ token: Token) async throws -> Int {
    try await token.perform { session in
        let count = { try session.certificates().count }
        return try count() + count()
    }
}
