// SPDX-License-Identifier: Apache-2.0

import SecureChannel
import Token
import Tokens

/// Refers to an object of a token, for as long as it is there.
struct ObjectReference: Sendable, Equatable {
    let object: TokenObject
    /// Stays the same if another program changes the object.
    private let uniqueID: [UInt8]

    init(_ object: TokenObject) {
        self.object = object
        uniqueID = object.uniqueID
    }

    static func == (one: ObjectReference, other: ObjectReference) -> Bool { one.uniqueID == other.uniqueID }
}
