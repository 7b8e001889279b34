// SPDX-License-Identifier: Apache-2.0
// A session in nested functions and closures of its block.
import KanalKit

func nestedFunction(_ token: Token) async throws -> Int {
    try await token.perform { session in
        func count() throws -> Int { try session.certificates().count }
        return try count() + count()
    }
}

func closures(_ token: Token) async throws -> [Int] {
    try await token.perform { session in
        try ["a", "b"].map { name in try name.utf8.count + session.certificates().count }
    }
}

// It works in the thread of the token, and not on the main actor.
nonisolated func helper(_ session: borrowing Session) throws -> Int { try session.certificates().count }

func passedOn(_ token: Token) async throws -> Int {
    try await token.perform { session in try helper(session) }
}
