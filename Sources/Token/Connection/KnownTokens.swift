// SPDX-License-Identifier: Apache-2.0

import Locking
import SecureChannel

/// This process's knowledge of tokens, which all slots share, kept across connections.
package final class KnownTokens: Sendable {
    /// Public files.
    let files = TokenMemory<KnownFiles>()
    let information = TokenMemory<KnownInfo>()
    /// Answer to reset and serial number of each token that was found to have no channel, so that it is asked only once
    /// (GSC/1, 4).
    private let plain = Lock<[(atr: [UInt8], serial: [UInt8])]>([])

    package init() {}

    /// Notes a token without a channel.
    func insertPlain(atr: [UInt8], serial: [UInt8]) {
        plain.withLock { tokens in
            if !tokens.contains(where: { $0 == (atr, serial) }) { tokens.append((atr, serial)) }
        }
    }

    /// Whether a token is known to have no channel.
    ///
    /// - Parameter serial: nil for any token with this answer to reset.
    func isPlain(atr: [UInt8], serial: [UInt8]? = nil) -> Bool {
        plain.withLock { tokens in tokens.contains { $0.atr == atr && (serial ?? $0.serial) == $0.serial } }
    }
}

/// What is known of the last tokens, one value each.
final class TokenMemory<Value: Sendable>: Sendable {
    private struct Entry {
        let serial: [UInt8]
        /// A value that was read outside a channel is not given out as one from a channel.
        let isProtected: Bool
        let value: Value
    }

    /// The newest is last.
    private let entries = Lock<[Entry]>([])

    /// The number of tokens that are remembered.
    private var limit: Int { 16 }

    func keep(_ value: Value, serial: [UInt8], isProtected: Bool) {
        entries.withLock { entries in
            entries.removeAll { $0.serial == serial && $0.isProtected == isProtected }
            if entries.count >= limit { entries.removeFirst() }
            entries.append(Entry(serial: serial, isProtected: isProtected, value: value))
        }
    }

    func value(serial: [UInt8], isProtected: Bool) -> Value? {
        entries.withLock { entries in
            entries.first { $0.serial == serial && $0.isProtected == isProtected }?.value
        }
    }
}
