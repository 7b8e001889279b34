// SPDX-License-Identifier: Apache-2.0
package import APDU

/// An action of the user at the PIN pad of an ``EmulatedReader``.
package enum Typing: Sendable {
    case pin(String)
    /// A new PIN, and the same or another once more.
    case new(String, String)
    case refusal(PINEntry.Refusal)

    /// The command's data.
    func data(for entry: PINEntry) throws(PINEntry.Refusal) -> [UInt8] {
        let (pin, start, lengths): (String, [UInt8], ClosedRange<Int>)
        switch (self, entry.pin) {
        case (.pin(let typed), .present(let allowed)): (pin, start, lengths) = (typed, [], allowed)
        case (.new(let typed, let again), .new(let count, let before)):
            guard typed == again else { throw .mismatch }
            (pin, start, lengths) = (typed, before, count...count)
        case (.refusal(let refusal), _): throw refusal
        default: throw .unsupported
        }
        guard lengths.contains(pin.utf8.count) else { throw .length }
        return start + Array(pin.utf8)
    }
}
