// SPDX-License-Identifier: Apache-2.0
import Secrets
import Token

extension Session {
    /// Mixes a seed into the generator for keys of sessions. The token's generator accepts none.
    package func seedRandom(_ seed: Span<UInt8>) { slot.settings.random.mix(seed) }

    /// Random bytes of the token's generator.
    package func generateRandom(_ count: Int) throws(CKError) -> [UInt8] {
        try slot.withToken { token throws(TokenError) in try token.randomBytes(count) }
    }
}
