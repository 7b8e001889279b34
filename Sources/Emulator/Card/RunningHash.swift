internal import GOST

/// A hash function by its number in MANAGE SECURITY ENVIRONMENT.
enum HashAlgorithm: UInt8 {
    case r341194 = 1
    case streebog256 = 2
    case streebog512 = 3
}

/// A hash of one of the card's functions, being computed.
enum RunningHash: ~Copyable {
    case r341194(GOSTR341194)
    case streebog256(Streebog256)
    case streebog512(Streebog512)

    init(_ algorithm: HashAlgorithm) {
        switch algorithm {
        case .r341194: self = .r341194(GOSTR341194())
        case .streebog256: self = .streebog256(Streebog256())
        case .streebog512: self = .streebog512(Streebog512())
        }
    }

    mutating func update(_ data: Span<UInt8>) {
        switch consume self {
        case .r341194(var hash):
            hash.update(data)
            self = .r341194(hash)
        case .streebog256(var hash):
            hash.update(data)
            self = .streebog256(hash)
        case .streebog512(var hash):
            hash.update(data)
            self = .streebog512(hash)
        }
    }

    consuming func finalize() -> [UInt8] {
        switch consume self {
        case .r341194(let hash): [UInt8](copying: hash.finalize())
        case .streebog256(let hash): [UInt8](copying: hash.finalize())
        case .streebog512(let hash): [UInt8](copying: hash.finalize())
        }
    }
}
