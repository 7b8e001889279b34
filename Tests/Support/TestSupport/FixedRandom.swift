package import Secrets
import Synchronization

/// "Random" bytes that are given in advance, so that published vectors come out. When they are used up there are none.
package final class FixedRandom: RandomSource {
    private let remaining: Mutex<ArraySlice<UInt8>>

    package init(_ bytes: [UInt8]...) { remaining = Mutex(Array(bytes.joined())[...]) }

    package func fill(_ bytes: inout MutableSpan<UInt8>) throws(RandomUnavailable) {
        let count = bytes.count
        let chunk: [UInt8]? = remaining.withLock { remaining in
            guard remaining.count >= count else { return nil }
            defer { remaining = remaining.dropFirst(count) }
            return Array(remaining.prefix(count))
        }
        guard let chunk else { throw RandomUnavailable() }
        for index in bytes.indices { bytes[index] = chunk[index] }
    }
}
