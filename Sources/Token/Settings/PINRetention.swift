// SPDX-License-Identifier: Apache-2.0

import Logging
import SecureChannel

/// The time for which a PIN is kept after a login, to be presented in a channel that had to be opened again (GSC/1,
/// 15.3).
package enum PINRetention: String, Sendable, CaseIterable {
    /// Until the login ends.
    case session
    /// Not at all.
    case none
}
