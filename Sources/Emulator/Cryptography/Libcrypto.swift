// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// libcrypto, by which the emulator computes RSA and ECDSA.
package enum Libcrypto {
    /// Whether there is one. It is loaded now, if it was not.
    package static var isThere: Bool { COpenSSL_version() > 0 }

    /// The emulator's own library context.
    nonisolated(unsafe) static let context: OpaquePointer? = unsafe OSSL_LIB_CTX_new()
}
