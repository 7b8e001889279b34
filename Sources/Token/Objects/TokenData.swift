// SPDX-License-Identifier: Apache-2.0
import APDU

/// The content of a data object.
package struct TokenData: Sendable, Equatable {
    /// The name of the application that the object belongs to.
    @Guarded package var application: [UInt8]
    /// DER; empty if missing.
    @Guarded package var objectIdentifier: [UInt8]
    /// nil as long as it was not read.
    @GuardedValue package var value: [UInt8]?

    package init(application: [UInt8] = [], objectIdentifier: [UInt8] = [], value: [UInt8]?) {
        self.application = application
        self.objectIdentifier = objectIdentifier
        self.value = value
    }

    var isRead: Bool { !_value.isEmpty }
}
