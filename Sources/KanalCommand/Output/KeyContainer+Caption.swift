// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Terminal
import Translation

extension KeyContainer {
    /// Its name and place, or the place of a container without a name.
    var caption: String { name.isEmpty ? place : "\(name.printable) (\(place))" }
}

extension [KeyContainer] {
    var captions: Phrase { Phrase(listing: map { Phrase(verbatim: $0.caption) }) }
}
