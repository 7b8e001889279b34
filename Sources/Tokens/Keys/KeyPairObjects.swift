// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import GOST
import HostCrypto
package import Token

/// A key pair of a token.
package struct KeyPairObjects: Sendable {
    package let privateKey: TokenObject
    package let publicKey: TokenObject?
}
