// SPDX-License-Identifier: Apache-2.0

import APDU
import CCryptoki
import Secrets
import Token
import Tokens

/// Whether the user has presented the PIN for one use of a key that needs it each time (`CKA_ALWAYS_AUTHENTICATE`).
final class Authentication {
    /// The key whose container has a password of its own, which is presented in place of the PIN; nil for other keys.
    let containerKey: TokenObject?
    var isGiven = false
    /// The password, for the time of the operation.
    var password: SharedSecret?

    init(of object: TokenObject?) { containerKey = object?.container == nil ? nil : object }
}
