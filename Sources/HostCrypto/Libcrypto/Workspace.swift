// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import GOST
import Secrets

/// Room for what libcrypto computes on the way, which is wiped.
@safe
struct Workspace {
    private let handle: Handle
    var pointer: OpaquePointer { unsafe handle.pointer }

    init() throws(HostCryptoError) {
        guard let library = unsafe LibraryContext.context else { throw .libraryFailure }
        handle = try unsafe Handle(BN_CTX_secure_new_ex(library), free: BN_CTX_free)
    }
}
