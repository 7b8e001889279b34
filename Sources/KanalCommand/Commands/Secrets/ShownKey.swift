// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Secrets
import Terminal

/// A key for other machines, of secrets or of pairings.
struct ShownKey: Report {
    let key: String

    init(_ key: borrowing SharedKey) {
        // It is to be shown, so it has to leave its locked memory.
        self.key = key.withText { String(decoding: [UInt8](copying: $0), as: UTF8.self) }
    }

    func text(_ style: Style) -> String { key + "\n" }
}
