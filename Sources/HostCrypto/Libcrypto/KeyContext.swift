// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import GOST
import Secrets

/// The state of one operation (`EVP_PKEY_CTX`).
@safe
struct KeyContext {
    private let handle: Handle
    var pointer: OpaquePointer { unsafe handle.pointer }

    init(_ kind: Key.Kind) throws(HostCryptoError) {
        guard let library = unsafe LibraryContext.context else { throw .libraryFailure }
        handle = try unsafe Handle(
            EVP_PKEY_CTX_new_from_name(library, kind.name.cString, nil), free: EVP_PKEY_CTX_free)
    }

    init(_ key: Key) throws(HostCryptoError) {
        guard let library = unsafe LibraryContext.context else { throw .libraryFailure }
        handle = try unsafe Handle(
            EVP_PKEY_CTX_new_from_pkey(library, key.handle.pointer, nil), free: EVP_PKEY_CTX_free)
    }
}
