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

    /// Ends the message and returns its digest, in the byte order that every library uses.
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
