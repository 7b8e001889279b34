// SPDX-License-Identifier: Apache-2.0
import APDU

/// The card refuses a command with this status word.
struct Refusal: Error {
    let status: StatusWord

    init(_ status: StatusWord) { self.status = status }
}

/// Refuses with `status` unless the condition holds.
func require(_ condition: Bool, else status: StatusWord) throws(Refusal) {
    guard condition else { throw Refusal(status) }
}

extension StatusWord {
    /// The memory failed; nothing was changed (vendor).
    static let memoryUnchanged = StatusWord(0x6400)
}
