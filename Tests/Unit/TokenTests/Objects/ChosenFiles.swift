import Locking
import Secrets

/// Draws these identifiers of files first, then at random.
final class ChosenFiles: RandomSource {
    private let files: Lock<[UInt16]>

    init(_ files: [UInt16]) { self.files = Lock(files) }

    func fill(_ bytes: inout MutableSpan<UInt8>) throws(RandomUnavailable) {
        let isFile = bytes.count == 2
        guard let file = files.withLock({ isFile && !$0.isEmpty ? $0.removeFirst() : nil }) else {
            return try SystemRandom().fill(&bytes)
        }
        (bytes[0], bytes[1]) = (UInt8(file >> 8), UInt8(truncatingIfNeeded: file))
    }
}
