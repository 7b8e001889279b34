// SPDX-License-Identifier: Apache-2.0

import Asking
package import Secrets
import Token

/// A PIN that a call needs: from the caller, or from the user, who is asked for it.
package struct NeededPIN: Sendable {
    package let request: PINRequest
    /// nil if the user is asked.
    let given: SharedSecret?

    package init(_ request: PINRequest, given: SharedSecret?) {
        self.request = request
        self.given = given
    }
}
