// SPDX-License-Identifier: Apache-2.0
// error: 'session' is borrowed and cannot be consumed
import KanalKit

func keep(_ session: consuming KanalKit.Session) {}

/// A session that outlives its work could reach another token.
func escape(from token: KanalKit.Token) async throws {
    try await token.perform { session in keep(session) }
}
