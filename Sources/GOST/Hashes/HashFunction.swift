// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// A hash function that takes its message in pieces.
///
/// A hash may be keyed (``HMAC``) or its message may be a password, so that a state is never copied by accident, wipes
/// itself, and is constant time in the message; only the message's length shows.
package protocol HashFunction: ~Copyable, Sendable {
    /// The number of bytes of the hash code.
    static var digestSize: Int { get }
    /// The number of bytes to which ``HMAC`` pads its key.
    static var blockSize: Int { get }

    /// The state before the first byte.
    init()

    /// Appends `data` to the message. Constant time in its secret inputs.
    mutating func update(_ data: Span<UInt8>)

    /// Ends the message and gives its hash code of ``digestSize`` bytes, least significant byte of the standard's
    /// vector first. Constant time in its secret inputs.
    consuming func finalize() -> Secret

    /// A second state that goes on from here.
    borrowing func copy() -> Self
}

extension HashFunction where Self: ~Copyable {
    /// The hash code of `data`, for messages whose hash is not secret.
    package static func hash(_ data: Span<UInt8>) -> [UInt8] {
        var state = Self()
        state.update(data)
        let digest = state.finalize()
        return [UInt8](copying: digest.bytes)
    }

    /// The hash code of `data`, for messages whose hash is not secret.
    package static func hash(_ data: [UInt8]) -> [UInt8] {
        hash(data.span)
    }
}

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

/// The beginning of a message block of `size` bytes, until the rest of it comes.
struct PartialBlock<let size: Int>: BitwiseCopyable, Sendable {
    private var storage = InlineArray<size, UInt8>(repeating: 0)
    private(set) var count = 0

    var isFull: Bool { count == size }

    /// The block's bytes; those that have not come are zero.
    var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get { storage.span }
    }

    /// Takes bytes from the front of `data` until the block is full, and returns the rest of `data`.
    @_lifetime(copy data)
    mutating func fill(from data: Span<UInt8>) -> Span<UInt8> {
        let taken = min(size - count, data.count)
        for index in 0..<taken { storage[count + index] = data[index] }
        count += taken
        return data.extracting(droppingFirst: taken)
    }

    mutating func append(_ byte: UInt8) {
        guard count < size else { return }
        storage[count] = byte
        count += 1
    }

    mutating func clear() { self = PartialBlock() }
}

/// HMAC (RFC 2104) over a GOST hash function: HMAC_GOSTR3411 of RFC 4357, 3, and HMAC_GOSTR3411_2012_256 and
/// HMAC_GOSTR3411_2012_512 of RFC 7836, 4.1.
///
/// Constant time in its secret inputs, the key and the message; their lengths show.
package struct HMAC<Hash: HashFunction & ~Copyable>: ~Copyable, Sendable {
    private var inner: Hash
    private var outer: Hash

    /// Begins a message under `key`, which can have any length. A key longer than a block is hashed first.
    package init(key: Span<UInt8>) {
        if key.count > Hash.blockSize {
            var hash = Hash()
            hash.update(key)
            let short = hash.finalize()
            self.init(blockKey: short.bytes)
        } else {
            self.init(blockKey: key)
        }
    }

    private init(blockKey key: Span<UInt8>) {
        inner = Self.begin(key, pad: 0x36)
        outer = Self.begin(key, pad: 0x5C)
    }

    private init(inner: consuming Hash, outer: consuming Hash) {
        self.inner = inner
        self.outer = outer
    }

    /// The hash of one block, the key with `pad` added to every byte.
    private static func begin(_ key: Span<UInt8>, pad: UInt8) -> Hash {
        var block = Secret(count: Hash.blockSize)
        var bytes = block.mutableBytes
        for index in bytes.indices { bytes[index] = pad ^ (index < key.count ? key[index] : 0) }
        var hash = Hash()
        hash.update(block.bytes)
        return hash
    }

    /// Appends `data` to the message. Constant time in its secret inputs.
    package mutating func update(_ data: Span<UInt8>) {
        inner.update(data)
    }

    /// Ends the message and gives its MAC, as many bytes as the hash's. Constant time in its secret inputs.
    package consuming func finalize() -> Secret {
        let digest = inner.finalize()
        outer.update(digest.bytes)
        return outer.finalize()
    }

    /// A second state under the same key that goes on from here.
    package borrowing func copy() -> HMAC {
        HMAC(inner: inner.copy(), outer: outer.copy())
    }

    /// The MAC of `data` under `key`. Constant time in its secret inputs.
    package static func authenticate(_ data: Span<UInt8>, key: Span<UInt8>) -> Secret {
        var code = HMAC(key: key)
        code.update(data)
        return code.finalize()
    }
}
