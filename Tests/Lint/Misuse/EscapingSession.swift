// SPDX-License-Identifier: Apache-2.0
// error: instance method 'perform(as:pin:prompt:waitingFor:_:)' requires that 'Session' conform to 'Escapable'
import KanalKit

/// A session that outlives its work could reach another token.
func escape(from token: KanalKit.Token) async throws {
    let kept: Session = try await token.perform { session in session }
    _ = kept
}
