// SPDX-License-Identifier: Apache-2.0

import APDU
import Secrets

/// A value of an object that may be private: kept as a secret, and an array only while it is read.
@propertyWrapper
package struct Guarded: Sendable, Equatable {
    private var secret: SharedSecret

    package init(wrappedValue: [UInt8]) { secret = SharedSecret(copying: wrappedValue) }

    package var wrappedValue: [UInt8] {
        get { secret.bytes }
        set { secret = SharedSecret(copying: newValue) }
    }
}
