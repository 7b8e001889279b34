// SPDX-License-Identifier: Apache-2.0

import GOST
import HostCrypto
package import Secrets

/// A private key of the token that may be used once. Every computation with a key needs one, and only asking makes one.
package struct PermittedKey: Sendable {
    package let object: TokenObject
    /// The password of the key's container; nil for a key that needs none.
    let password: SharedSecret?

    /// - Parameters:
    ///   - password: The password of the key's container, if it has one.
    ///   - asking: Has the key's owner asked if that is wanted, and throws without leave.
    package init<Refusal: Error>(
        _ object: TokenObject, password: SharedSecret? = nil, asking: () throws(Refusal) -> Void
    ) throws(Refusal) {
        try asking()
        self.object = object
        self.password = password
    }
}
