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
    /// The version of libcrypto, or its absence.
    package enum Presence: Sendable, Equatable {
        /// The version in use, by the number in its name: 4 or 3.
        case version(Int)
        /// None is installed, or none can be loaded now.
        case absent
        /// Each that is installed lacks a function that is used.
        case incomplete
        /// The process has changed its root directory (chroot(2)) before one was loaded. None comes from the new one.
        case rootChanged
    }

    /// The version of libcrypto, which is loaded now if it was not.
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
    /// The file can name an engine that loads this library and calls it, from within any function of libcrypto. A
    /// caller with a lock that such a call needs must have called this before; from within such a call it does nothing.
    ///
    /// - Returns: False if the process has no descriptor, or no memory, left to load libcrypto by: then that was not tried,
    ///   for libcrypto remembers a failure of its beginning for good.
    package static func prepare() -> Bool {
        if isPrepared.load(ordering: .acquiring) { return true }
        guard !StandardDescriptors.areUsedUp, hasMemory() else { return false }
        return StandardDescriptors.avoid(otherwise: false) {
            // Without libcrypto no file is read; a libcrypto that is loaded later is prepared then.
            if COpenSSL_version() > 0 {
                // A file of another root directory could name any user's library, and is kept from the host, too.
                let file = RootDirectory.hasChanged ? OPENSSL_INIT_NO_LOAD_CONFIG : OPENSSL_INIT_LOAD_CONFIG
                OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT | file), nil)
                isPrepared.store(true, ordering: .releasing)
            }
            return true
        }
    }

    private static let isPrepared = Atomic(false)

    /// Whether there is as much memory as libcrypto needs in the beginning, most of it for its own file.
    private static func hasMemory() -> Bool {
        let memory = unsafe malloc(8 << 20)
        unsafe free(memory)
        return unsafe memory != nil
    }
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

extension StaticString {
    /// The text as C has it; it lives as long as the process.
    var cString: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
