// SPDX-License-Identifier: Apache-2.0
package import APDU

/// A card, or its end of the channel, refuses a command with this status word.
package struct Refusal: Error {
    package let status: StatusWord

    package init(_ status: StatusWord) { self.status = status }
}

/// Refuses with `status` unless the condition holds.
package func require(_ condition: Bool, else status: StatusWord) throws(Refusal) {
    guard condition else { throw Refusal(status) }
}

extension StatusWord {
    /// The memory failed; nothing was changed (vendor).
    package static let memoryUnchanged = StatusWord(0x6400)
}
