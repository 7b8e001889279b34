// SPDX-License-Identifier: Apache-2.0
import Asking
package import CCryptoki
import GOST
package import HostCrypto
import Token

/// How a key signs: how a message is hashed, how the digest is signed, and the number in PKCS #11 of the mechanism, which a
/// key's record may forbid.
package struct SignatureMethod: Sendable {
    package let hash: DigestAlgorithm
    /// nil but for keys of RSA.
    package let scheme: RSASignatureScheme?
    package let mechanism: CK_MECHANISM_TYPE

    package init(hash: DigestAlgorithm, scheme: RSASignatureScheme? = nil, mechanism: CK_MECHANISM_TYPE) {
        (self.hash, self.scheme, self.mechanism) = (hash, scheme, mechanism)
    }
}
