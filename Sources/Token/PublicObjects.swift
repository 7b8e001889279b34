import Locking

/// What this process knows of the objects that everybody may see, from one connection to a token to the next.
final class PublicObjects: Sendable {
    private struct Place: Hashable {
        let serial: [UInt8]
        /// What was read outside a channel is not told as if it came out of one.
        let isProtected: Bool
    }

    /// As many tokens are remembered.
    private static let limit = 16

    private let caches = Lock<[Place: ObjectCache]>([:])

    func keep(_ cache: ObjectCache, serial: [UInt8], isProtected: Bool) {
        caches.withLock { caches in
            let place = Place(serial: serial, isProtected: isProtected)
            if caches[place] == nil, caches.count >= Self.limit { caches = [:] }
            caches[place] = cache
        }
    }

    func cache(serial: [UInt8], isProtected: Bool) -> ObjectCache? {
        caches.withLock { $0[Place(serial: serial, isProtected: isProtected)] }
    }
}
