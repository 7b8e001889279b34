// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Terminal
import Translation

/// The limits and tries of a PIN.
struct PINEntry: Encodable {
    let shortest: Int
    let longest: Int
    let tries: Int
    let triesLeft: Int
    let isDefault: Bool

    init(_ pin: PINDetails) {
        shortest = pin.lengths.lowerBound
        longest = pin.lengths.upperBound
        tries = pin.tries
        triesLeft = pin.triesLeft
        isDefault = pin.isDefault
    }

    private var left: Phrase { triesLeft == 0 ? "locked" : "\(triesLeft) of \(tries) tries left" }
    private var remark: Phrase { isDefault ? ", still the maker's" : "" }

    /// All of it, for people.
    var text: String { translated("\(left), \(shortest) to \(longest) bytes\(remark)") }
    /// The tries alone.
    var triesText: String { translated("\(left)\(remark)") }
}
