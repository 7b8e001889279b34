// SPDX-License-Identifier: Apache-2.0

import Logging

/// The treatment of a login on a token without channel when a call ends.
package enum PlainLogin: String, Sendable, CaseIterable {
    /// The token forgets it, so that no other process inherits it; the next call logs in again.
    case reset
    /// The token keeps it until logout.
    case sticky
}
