// SPDX-License-Identifier: Apache-2.0
package import Secrets

/// The hash functions of the family, for a choice at run time.
package enum HashAlgorithm: Sendable, CaseIterable {
    /// GOST R 34.11-94 with the CryptoPro parameter set.
    case gostR341194
    /// GOST R 34.11-2012 with 256 bits.
    case streebog256
    /// GOST R 34.11-2012 with 512 bits.
    case streebog512

    /// The number of bytes of a digest.
    package var digestSize: Int { self == .streebog512 ? 64 : 32 }

    /// The object identifier of the parameter set in DER, tag and length included (RFC 4357, 8.2; RFC 9215, 2).
    package var oid: [UInt8] {
        switch self {
        case .gostR341194: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1E, 0x01]
        case .streebog256: [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x02]
        case .streebog512: [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x03]
        }
    }
}

/// A hash by one of the functions, being computed.
package enum RunningHash: ~Copyable, Sendable {
    case gostR341194(GOSTR341194)
    case streebog256(Streebog256)
    case streebog512(Streebog512)

    package init(_ algorithm: HashAlgorithm) {
        switch algorithm {
        case .gostR341194: self = .gostR341194(GOSTR341194())
        case .streebog256: self = .streebog256(Streebog256())
        case .streebog512: self = .streebog512(Streebog512())
        }
    }

    package mutating func update(_ data: Span<UInt8>) {
        switch consume self {
        case .gostR341194(var hash):
            hash.update(data)
            self = .gostR341194(hash)
        case .streebog256(var hash):
            hash.update(data)
            self = .streebog256(hash)
        case .streebog512(var hash):
            hash.update(data)
            self = .streebog512(hash)
        }
    }

    /// The digest, in the byte order of the standards' implementations.
    package consuming func finalize() -> Secret {
        switch consume self {
        case .gostR341194(let hash): hash.finalize()
        case .streebog256(let hash): hash.finalize()
        case .streebog512(let hash): hash.finalize()
        }
    }

    /// A second hash that goes on from here.
    package borrowing func copy() -> RunningHash {
        switch self {
        case .gostR341194(let hash): .gostR341194(hash.copy())
        case .streebog256(let hash): .streebog256(hash.copy())
        case .streebog512(let hash): .streebog512(hash.copy())
        }
    }
}
