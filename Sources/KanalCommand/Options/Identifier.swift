// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

/// An identifier that a person types.
struct Identifier: ExpressibleByArgument {
    let bytes: [UInt8]

    /// The longest one in bytes. A token may accept less, and refuses more.
    private static let limit = 255

    init?(argument: String) {
        let digits = argument.filter { $0 != ":" }
        guard let bytes = [UInt8](hexadecimal: digits.utf8), 1...Self.limit ~= bytes.count else { return nil }
        self.bytes = bytes
    }
}
