// SPDX-License-Identifier: Apache-2.0
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

/// The same for a value that need not be there.
@propertyWrapper
package struct GuardedValue: Sendable, Equatable {
    private var secret: SharedSecret?

    package init(wrappedValue: [UInt8]?) {
        guard let wrappedValue else { return }
        secret = SharedSecret(copying: wrappedValue)
    }

    package var wrappedValue: [UInt8]? {
        get { secret?.bytes }
        set { self = GuardedValue(wrappedValue: newValue) }
    }

    var isEmpty: Bool { secret == nil }
}

/// Attributes of an object that may be private, by a number that the driver does not interpret.
@propertyWrapper
package struct GuardedAttributes: Sendable, Equatable {
    private var secrets: [UInt32: SharedSecret] = [:]

    package init(wrappedValue: [UInt32: [UInt8]]) { self.wrappedValue = wrappedValue }

    package var wrappedValue: [UInt32: [UInt8]] {
        get { secrets.mapValues(\.bytes) }
        set { secrets = newValue.mapValues(SharedSecret.init(copying:)) }
    }
}
