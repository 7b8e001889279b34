// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Locking
import Secrets

/// The token's present state: E2 of discovery (GSC/1, 4). Never authenticated; for display only.
package struct TokenHints: Sendable, Equatable {
    /// The present state.
    package struct Now: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Commands must be protected on this interface.
        package static let protectionRequired = Now(rawValue: 1 << 0)
        package static let pairingWindowOpen = Now(rawValue: 1 << 1)
        package static let sessionActive = Now(rawValue: 1 << 2)
    }

    /// The state of an activation slot.
    package enum SlotState: UInt8, Sendable {
        case empty, ready, blocked, exhausted, consumed
    }

    package let now: Now
    /// The states of the slots 1, 2, …
    package let slots: [SlotState]
    /// The token's label.
    package let label: String

    /// Reads E2, tag and length included, of a token with `slots` activation slots.
    init(from cursor: inout ByteCursor, slots count: Int) throws(MalformedBytes) {
        var inner = ByteCursor(try cursor.object(0xE2))
        now = Now(rawValue: try inner.number(0x80, in: 0...0xFF))
        slots = try inner.object(0x81, length: count).map { byte throws(MalformedBytes) in
            guard let state = SlotState(rawValue: byte) else { throw MalformedBytes() }
            return state
        }
        let text = try inner.object(0x82)
        guard text.count <= 32 else { throw MalformedBytes() }
        label = String(decoding: text, as: UTF8.self)
        try inner.finish()
    }
}
