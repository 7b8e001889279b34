// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostProcess
import Logging
import Secrets
import Token

/// One message as one line of text: the only way in which messages reach a log.
///
/// A message can contain text from outside, such as a path from the environment or the name of a reader. Such text can
/// neither begin a new line nor control the terminal that shows it.
package enum LogLine {
    /// A message with its identifier in brackets before it, and the rest of its metadata behind it.
    static func text(_ event: LogEvent) -> String {
        var metadata = event.metadata ?? [:]
        let id = metadata.removeValue(forKey: Logger.messageIDKey).map { "[\($0)] " } ?? ""
        let details = metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        return escaped("\(id)\(event.message)\(details)")
    }

    /// Text with control and format characters, line separators, unassigned characters and the backslash in the form
    /// `\u{…}`. Bytes that are not UTF-8 have become U+FFFD before.
    package static func escaped(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars {
            if isPlain(scalar) {
                line.unicodeScalars.append(scalar)
            } else {
                line += "\\u{" + scalar.value.hexadecimal().uppercased() + "}"
            }
        }
        return line
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x20...0x7E).contains(scalar.value) && scalar != "\\" }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: return false
        default: return true
        }
    }
}
