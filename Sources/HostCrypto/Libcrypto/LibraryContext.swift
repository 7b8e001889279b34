// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Glibc
import HostProcess
import Locking
import Secrets
import Synchronization

/// The project's own library context of libcrypto, for the process may use libcrypto too, with settings that are not
/// ours. It lives as long as the process.
///
/// Digests and operations with keys still make OpenSSL 3.0 read the process's configuration file if nothing has done so before, and ask the engines that the
/// process has made its defaults; keeping it from that would keep it from the host too.
package enum LibraryContext {
    /// What there is of libcrypto.
    package enum Presence: Sendable, Equatable {
        /// The one that is used, by the number in its name: 4 or 3.
        case version(Int)
        /// None is installed, or none can be loaded now.
        case absent
        /// Each that is installed lacks a function that is used.
        case incomplete
        /// The process has changed its root directory (chroot(2)) before one was loaded. None comes from the new one.
        case rootChanged
    }

    /// What there is of libcrypto, which is loaded now if it was not.
    package static var presence: Presence {
        let version = StandardDescriptors.avoid(otherwise: COPENSSL_ABSENT) { Int(COpenSSL_version()) }
        return switch version {
        case COPENSSL_ABSENT: .absent
        case COPENSSL_INCOMPLETE: .incomplete
        case COPENSSL_ROOT_CHANGED: .rootChanged
        default: .version(version)
        }
    }

    /// Requires libcrypto, before its answer is taken for a property of the input.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure`` without libcrypto.
    static func require() throws(HostCryptoError) {
        guard COpenSSL_version() > 0 else { throw .libraryFailure }
    }

    /// The context (`OSSL_LIB_CTX`), or nil if libcrypto cannot make one now.
    @unsafe package static var context: OpaquePointer? {
        let known = made.withLock { made in
            if made == 0 { made = unsafe UInt(bitPattern: make()) }
            return made
        }
        return unsafe OpaquePointer(bitPattern: known)
    }

    /// The address of the context, or 0.
    private static let made = Lock<UInt>(0)

    private static func make() -> OpaquePointer? {
        // Cleaning up at exit could come before our last use.
        let result = StandardDescriptors.avoid(otherwise: 0) {
            OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        }
        guard result == 1, let context = unsafe OSSL_LIB_CTX_new() else { return nil }
        guard unsafe OSSL_PROVIDER_load(context, "default") != nil else {
            unsafe OSSL_LIB_CTX_free(context)
            return nil
        }
        return unsafe context
    }

    /// Has libcrypto read the process's configuration file now, if nothing has done so before.
    ///
    /// The file can name an engine that loads this library and calls it, from within any function of libcrypto. Whoever
    /// holds a lock that such a call takes must have called this before; called from such a call, it does nothing.
    ///
    /// - Returns: False if the process has no descriptor, or no memory, left to load libcrypto by: then that was not tried,
    ///   for libcrypto remembers a failure of its beginning for good.
    package static func prepare() -> Bool {
        if isPrepared.load(ordering: .acquiring) { return true }
        guard !StandardDescriptors.areUsedUp, hasMemory() else { return false }
        return StandardDescriptors.avoid(otherwise: false) {
            // Without libcrypto no file is read, and one that comes later is prepared then.
            if COpenSSL_version() > 0 {
                // A file of another root directory could name a library of anybody, and is kept from the host, too.
                let file = RootDirectory.hasChanged ? OPENSSL_INIT_NO_LOAD_CONFIG : OPENSSL_INIT_LOAD_CONFIG
                OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT | file), nil)
                isPrepared.store(true, ordering: .releasing)
            }
            return true
        }
    }

    private static let isPrepared = Atomic(false)

    /// Whether there is as much memory as libcrypto takes in the beginning, most of it for its own file.
    private static func hasMemory() -> Bool {
        let memory = unsafe malloc(8 << 20)
        unsafe free(memory)
        return unsafe memory != nil
    }
}

/// An object of libcrypto, freed when nothing refers to it any more.
///
/// Sendable, for what threads share here are keys (`EVP_PKEY`), and certificates (`X509`) that are only read, which libcrypto
/// lets any number of them use at a time.
@safe
final class Handle: @unchecked Sendable {
    let pointer: OpaquePointer
    private let free: (OpaquePointer?) -> Void

    /// Owns what a function of libcrypto made.
    ///
    /// - Throws: `error` if it made nothing.
    init(
        _ made: OpaquePointer?, free: @escaping (OpaquePointer?) -> Void, else error: HostCryptoError = .libraryFailure
    ) throws(HostCryptoError) {
        guard let made = unsafe made else { throw error }
        unsafe pointer = made
        unsafe self.free = free
    }

    deinit { unsafe free(pointer) }
}

/// Throws `error` unless a function of libcrypto reported success.
func check(_ result: Int32, else error: HostCryptoError = .libraryFailure) throws(HostCryptoError) {
    guard result == 1 else { throw error }
}

/// Computes with libcrypto and leaves its error queue, which the host process reads too, as it was.
///
/// - Throws: ``HostCryptoError/libraryFailure`` without libcrypto; what `body` throws.
func quietly<Result: ~Copyable>(_ body: () throws(HostCryptoError) -> Result) throws(HostCryptoError) -> Result {
    try LibraryContext.require()
    ERR_set_mark()
    defer { ERR_pop_to_mark() }
    return try body()
}

/// The named values that make a key, or say how an operation works (`OSSL_PARAM`).
@safe
struct Parameters: ~Copyable {
    private let builder: Handle
    /// What the builder only refers to until it is done.
    private var numbers: [BigNumber]
    private var copies: [UnsafeMutableBufferPointer<UInt8>]

    init() throws(HostCryptoError) {
        builder = try unsafe Handle(OSSL_PARAM_BLD_new(), free: OSSL_PARAM_BLD_free)
        // Set here: Swift 6.2 destroys default values twice if an initialiser throws.
        numbers = []
        unsafe copies = []
    }

    deinit { unsafe copies.forEach { unsafe $0.deallocate() } }

    mutating func add(_ name: StaticString, number: BigNumber) throws(HostCryptoError) {
        try unsafe check(OSSL_PARAM_BLD_push_BN(builder.pointer, name.cString, number.pointer))
        numbers.append(number)
    }

    mutating func add(_ name: StaticString, integer: Int) throws(HostCryptoError) {
        try unsafe check(OSSL_PARAM_BLD_push_int(builder.pointer, name.cString, Int32(clamping: integer)))
    }

    mutating func add(_ name: StaticString, text: StaticString) throws(HostCryptoError) {
        try unsafe check(OSSL_PARAM_BLD_push_utf8_string(builder.pointer, name.cString, text.cString, 0))
    }

    /// - Parameter bytes: They are not secret.
    mutating func add(_ name: StaticString, bytes: [UInt8]) throws(HostCryptoError) {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = unsafe copy.initialize(fromContentsOf: bytes)
        unsafe copies.append(copy)
        try unsafe check(
            OSSL_PARAM_BLD_push_octet_string(builder.pointer, name.cString, copy.baseAddress, bytes.count))
    }

    /// Lends the values to functions of libcrypto.
    func lend(
        to body: (UnsafeMutablePointer<OSSL_PARAM>) throws(HostCryptoError) -> Void
    ) throws(HostCryptoError) {
        guard let values = unsafe OSSL_PARAM_BLD_to_param(builder.pointer) else { throw .libraryFailure }
        defer { unsafe OSSL_PARAM_free(values) }
        try unsafe body(values)
    }
}

extension StaticString {
    /// The text as C has it; it lives as long as the process.
    var cString: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
