// SPDX-License-Identifier: Apache-2.0
import COpenSSL

/// An object of libcrypto, freed when nothing refers to it any more.
///
/// Sendable, for what threads share here are keys (`EVP_PKEY`), which libcrypto lets any number of them use at a time.
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
