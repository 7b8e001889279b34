// SPDX-License-Identifier: Apache-2.0

import Asking
import Token
import Translation

/// A message to sign, as it is shown to the user.
package struct SignedContent: Sendable {
    let text: String

    /// - Parameter content: The whole message.
    package init(_ content: Span<UInt8>) {
        let start = (0..<min(content.count, 80)).map { content[$0] }
        let characters = start.map { (0x20...0x7E).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
        text = translated("Message: \(content.count) bytes, beginning with: \(characters)")
    }

    /// - Parameter file: The file's name, as the program passes it.
    package init(file: String) { text = translated("File: \(file.onOneLine)") }
}
