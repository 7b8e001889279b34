// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import GOST
import Locking
package import Secrets

/// A digest, being computed.
///
/// The input may be secret: the state is wiped, and only the number of bytes shows.
package struct Digest: ~Copyable, Sendable {
    package let algorithm: DigestAlgorithm
    private var state: State
    private var isBroken = false

    enum State: ~Copyable, Sendable {
        case libcrypto(Handle)
        case gost(HashState)

        /// - Returns: Whether it worked.
        mutating func update(_ data: Span<UInt8>) -> Bool {
            switch consume self {
            case .libcrypto(let context):
                self = .libcrypto(context)
                return unsafe data.withUnsafeBufferPointer { data in
                    unsafe EVP_DigestUpdate(context.pointer, data.baseAddress, data.count) == 1
                }
            case .gost(var hash):
                hash.update(data)
                self = .gost(hash)
                return true
            }
        }
    }

    /// The digest of no bytes yet.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package init(_ algorithm: DigestAlgorithm) throws(HostCryptoError) {
        if let gost = algorithm.gost {
            self.init(algorithm, .gost(HashState(gost)))
        } else {
            let context = try Self.context()
            try quietly { () throws(HostCryptoError) in
                try unsafe check(EVP_DigestInit_ex2(context.pointer, algorithm.implementation, nil))
            }
            self.init(algorithm, .libcrypto(context))
        }
    }

    private init(_ algorithm: DigestAlgorithm, _ state: consuming State) {
        self.algorithm = algorithm
        self.state = state
    }

    private static func context() throws(HostCryptoError) -> Handle {
        try unsafe Handle(EVP_MD_CTX_new(), free: EVP_MD_CTX_free)
    }

    /// Appends `data` to the input. If libcrypto fails here, `finalize()` throws.
    package mutating func update(_ data: Span<UInt8>) {
        if !state.update(data) { isBroken = true }
    }

    /// Ends the message and gives its digest, in the byte order that every library gives it in.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package consuming func finalize() throws(HostCryptoError) -> Secret {
        guard !isBroken else { throw .libraryFailure }
        switch consume state {
        case .gost(let hash):
            return hash.finalize()
        case .libcrypto(let context):
            var digest = Secret(count: algorithm.size)
            var span = digest.mutableBytes
            let result = unsafe span.withUnsafeMutableBufferPointer { digest in
                unsafe EVP_DigestFinal_ex(context.pointer, digest.baseAddress, nil)
            }
            try check(result)
            return digest
        }
    }

    /// A second digest that goes on from here.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package borrowing func copy() throws(HostCryptoError) -> Digest {
        guard !isBroken else { throw .libraryFailure }
        switch state {
        case .gost(let hash):
            return Digest(algorithm, .gost(hash.copy()))
        case .libcrypto(let context):
            let copy = try Self.context()
            try unsafe check(EVP_MD_CTX_copy_ex(copy.pointer, context.pointer))
            return Digest(algorithm, .libcrypto(copy))
        }
    }

    /// The digest of `data`, for messages whose digest is not secret.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package static func digest(_ data: Span<UInt8>, _ algorithm: DigestAlgorithm) throws(HostCryptoError) -> [UInt8] {
        var digest = try Digest(algorithm)
        digest.update(data)
        let bytes = try digest.finalize()
        return [UInt8](copying: bytes)
    }
}

extension DigestAlgorithm {
    /// libcrypto's implementation (`EVP_MD`); nil for an algorithm of `GOST`, or if libcrypto cannot fetch it now. It is
    /// fetched once, for looking it up is slower than hashing a short message.
    var implementation: OpaquePointer? {
        guard let name else { return nil }
        let known = implementations.withLock { fetched in
            if let known = fetched[self] { return known }
            guard let library = unsafe LibraryContext.context, let new = unsafe EVP_MD_fetch(library, name.cString, nil)
            else { return 0 }
            let known = UInt(bitPattern: new)
            fetched[self] = known
            return known
        }
        return unsafe OpaquePointer(bitPattern: known)
    }
}

/// The addresses of what libcrypto implements.
private let implementations = Lock<[DigestAlgorithm: UInt]>([:])

/// HMAC (RFC 2104) over any of the hash functions, being computed.
///
/// Constant time in its secret inputs, the key and the message; their lengths show.
///
/// Between calls libcrypto has only the inner digest, which does not suffice to make a MAC: its memory is in core dumps
/// and in forked children.
package struct HMACState: ~Copyable, Sendable {
    private var inner: Digest
    private let algorithm: DigestAlgorithm
    /// As long as a block at most.
    private let key: Secret

    /// Begins a message under `key`, which can have any length. A key longer than a block is hashed first.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package init(_ algorithm: DigestAlgorithm, key: Span<UInt8>) throws(HostCryptoError) {
        if key.count > algorithm.blockSize {
            var digest = try Digest(algorithm)
            digest.update(key)
            let short = try digest.finalize()
            try self.init(algorithm, blockKey: short)
        } else {
            try self.init(algorithm, blockKey: Secret(copying: key))
        }
    }

    private init(_ algorithm: DigestAlgorithm, blockKey key: consuming Secret) throws(HostCryptoError) {
        let inner = try Self.begin(algorithm, key.bytes, pad: 0x36)
        self.init(algorithm, inner: inner, key: key)
    }

    private init(_ algorithm: DigestAlgorithm, inner: consuming Digest, key: consuming Secret) {
        self.algorithm = algorithm
        self.inner = inner
        self.key = key
    }

    /// The digest of one block, the key with `pad` added to every byte.
    private static func begin(
        _ algorithm: DigestAlgorithm, _ key: Span<UInt8>, pad: UInt8
    ) throws(HostCryptoError) -> Digest {
        var block = Secret(copying: key, zeros: algorithm.blockSize - key.count)
        var bytes = block.mutableBytes
        for index in bytes.indices { bytes[index] ^= pad }
        var digest = try Digest(algorithm)
        digest.update(block.bytes)
        return digest
    }

    /// Appends `data` to the message.
    package mutating func update(_ data: Span<UInt8>) {
        inner.update(data)
    }

    /// Ends the message and gives its MAC, as many bytes as a digest has.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package consuming func finalize() throws(HostCryptoError) -> Secret {
        var outer = try Self.begin(algorithm, key.bytes, pad: 0x5C)
        let digest = try inner.finalize()
        outer.update(digest.bytes)
        return try outer.finalize()
    }

    /// A second state under the same key that goes on from here.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package borrowing func copy() throws(HostCryptoError) -> HMACState {
        let inner = try inner.copy()
        return HMACState(algorithm, inner: inner, key: key.copy())
    }
}
