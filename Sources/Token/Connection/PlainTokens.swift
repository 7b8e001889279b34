// SPDX-License-Identifier: Apache-2.0
import Locking

/// The tokens that are known to have no channel, so that each is asked only once (GSC/1, 4).
package final class PlainTokens: Sendable {
    private struct Token: Equatable {
        let atr: [UInt8]
        let serial: [UInt8]
    }

    private let tokens = Lock<[Token]>([])

    init() {}

    func insert(atr: [UInt8], serial: [UInt8]) {
        let token = Token(atr: atr, serial: serial)
        tokens.withLock { tokens in
            if !tokens.contains(token) { tokens.append(token) }
        }
    }

    func contains(atr: [UInt8], serial: [UInt8]) -> Bool {
        tokens.withLock { $0.contains(Token(atr: atr, serial: serial)) }
    }

    /// Whether a token with this answer to reset is among them.
    func contains(atr: [UInt8]) -> Bool { tokens.withLock { tokens in tokens.contains { $0.atr == atr } } }
}
