// SPDX-License-Identifier: Apache-2.0

/// A private key of the token that may be used once. Every computation with a key takes one, and only asking makes one.
package struct PermittedKey: Sendable {
    let object: TokenObject

    /// - Parameter asking: Has the key's owner asked if that is wanted, and throws without leave.
    package init<Refusal: Error>(_ object: TokenObject, asking: () throws(Refusal) -> Void) throws(Refusal) {
        try asking()
        self.object = object
    }
}
