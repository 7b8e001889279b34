// SPDX-License-Identifier: Apache-2.0
import Locking

/// What this process knows of the objects that everybody may see, from one connection to a token to the next.
final class PublicObjects: Sendable {
    private struct Entry {
        let serial: [UInt8]
        /// What was read outside a channel is not told as if it came out of one.
        let isProtected: Bool
        let cache: ObjectCache
    }

    /// As many tokens are remembered.
    private static let limit = 16

    /// The newest is last.
    private let entries = Lock<[Entry]>([])

    func keep(_ cache: ObjectCache, serial: [UInt8], isProtected: Bool) {
        entries.withLock { entries in
            entries.removeAll { $0.serial == serial && $0.isProtected == isProtected }
            if entries.count >= Self.limit { entries.removeFirst() }
            entries.append(Entry(serial: serial, isProtected: isProtected, cache: cache))
        }
    }

    func cache(serial: [UInt8], isProtected: Bool) -> ObjectCache? {
        entries.withLock { entries in
            entries.first { $0.serial == serial && $0.isProtected == isProtected }?.cache
        }
    }
}
