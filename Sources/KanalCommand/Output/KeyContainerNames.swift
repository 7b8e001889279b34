// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Terminal
import Translation

extension [KeyContainer] {
    /// Their names, or the place of a container without a name.
    var names: Phrase {
        Phrase(listing: map { Phrase(verbatim: $0.name.isEmpty ? $0.place : $0.name.printable) })
    }
}
