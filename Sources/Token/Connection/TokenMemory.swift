// SPDX-License-Identifier: Apache-2.0
import Locking

/// This process's knowledge of tokens, one value each, kept across connections.
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
