// SPDX-License-Identifier: Apache-2.0

import Translation

/// The uses of private keys that the user is asked for, from the laxest to the strictest.
package enum Consent: String, Sendable, CaseIterable, Comparable {
    case never
    /// For keys that want a login before each use (CKA_ALWAYS_AUTHENTICATE).
    case perKey = "per-key"
    case always

    package static func < (left: Consent, right: Consent) -> Bool { left.strictness < right.strictness }

    private var strictness: Int {
        switch self {
        case .never: 0
        case .perKey: 1
        case .always: 2
        }
    }
}
