import GOST
import Secrets

/// What becomes of the data of a signature or verification: a message that is hashed, or a digest that is taken as it
/// is.
final class MessageDigest {
    private let size: Int
    private var hash: RunningHash?
    private var given: [UInt8] = []
    private(set) var isMultiPart = false

    /// - Parameter size: The number of bytes that a digest must have.
    init(size: Int, hash: HashAlgorithm?) {
        self.size = size
        self.hash = hash.map { RunningHash($0) }
    }

    func update(_ data: Span<UInt8>) throws(CKError) {
        isMultiPart = true
        try append(data)
    }

    /// The digest of all data, of which `last` is the last part.
    ///
    /// - Throws: `CKR_DATA_LEN_RANGE` if a digest was given that does not have the key's size.
    func finalize(_ last: Span<UInt8>) throws(CKError) -> [UInt8] {
        try append(last)
        if let hash = hash.take() {
            let digest = hash.finalize()
            return [UInt8](copying: digest)
        }
        guard given.count == size else { throw .dataLengthRange }
        return given
    }

    private func append(_ data: Span<UInt8>) throws(CKError) {
        if hash != nil {
            hash?.update(data)
            return
        }
        guard data.count <= size - given.count else { throw .dataLengthRange }
        for index in data.indices { given.append(data[index]) }
    }
}
