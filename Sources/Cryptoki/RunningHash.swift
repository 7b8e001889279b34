import GOST
import Secrets

/// A hash that is being computed.
protocol RunningHash: AnyObject {
    func update(_ data: Span<UInt8>)

    /// The digest, in the octet order of the standard. Ends the computation.
    func finalize() -> [UInt8]
}

extension HashAlgorithm {
    /// A new computation.
    func start() -> any RunningHash {
        switch self {
        case .gostR341194: Computation<GOSTR341194>()
        case .streebog256: Computation<Streebog256>()
        case .streebog512: Computation<Streebog512>()
        }
    }
}

private final class Computation<Hash: HashFunction & ~Copyable>: RunningHash {
    private var hash: Hash? = Hash()

    func update(_ data: Span<UInt8>) { hash?.update(data) }

    func finalize() -> [UInt8] {
        guard let hash = hash.take() else { return [] }
        // The digest of an application's data is no secret of ours.
        let digest = hash.finalize()
        var bytes: [UInt8] = []
        for index in 0..<digest.count { bytes.append(digest.bytes[index]) }
        return bytes
    }
}
