// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Glibc
import HostProcess
import Secrets
import Synchronization

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
