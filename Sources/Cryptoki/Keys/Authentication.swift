// SPDX-License-Identifier: Apache-2.0
import CCryptoki

/// Whether the user has presented the PIN for one use of a key that needs it each time (`CKA_ALWAYS_AUTHENTICATE`).
final class Authentication {
    var isGiven = false
}
