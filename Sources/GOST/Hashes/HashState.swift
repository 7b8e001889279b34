// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// A hash by one of the functions, being computed.
package enum HashState: ~Copyable, Sendable {
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
    package borrowing func copy() -> HashState {
        switch self {
        case .gostR341194(let hash): .gostR341194(hash.copy())
        case .streebog256(let hash): .streebog256(hash.copy())
        case .streebog512(let hash): .streebog512(hash.copy())
        }
    }
}
