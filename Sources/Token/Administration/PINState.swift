// SPDX-License-Identifier: Apache-2.0

import APDU

/// Length limits and tries of a PIN.
package struct PINState: Sendable, Equatable {
    package var minimumLength = 6
    package var maximumLength = 249
    package var tries = 10
    package var triesLeft = 10
    /// Whether the value is no longer the factory's.
    package var isChanged = false
    package var isUTF8 = false
    /// The roles that may change the value: bit 0 SO, bit 1 User.
    package var changePolicy: UInt8 = 0
}
