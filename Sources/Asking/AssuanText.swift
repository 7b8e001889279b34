// SPDX-License-Identifier: Apache-2.0

import Secrets
import Translation

/// Text on its way to an authenticator.
enum AssuanText {
    /// The most bytes of a line, without its end (Assuan, "Server responses").
    static let longestLine = 1000

    /// A line with a command and a text. The text is shown as it is, except characters that would act instead of being
    /// seen; text that is too long is truncated.
    static func line(_ command: String, _ text: String? = nil, keepsLines: Bool = false) -> [UInt8] {
        var line = Array(command.utf8)
        if let text {
            line.append(0x20)
            for scalar in text.unicodeScalars {
                let bytes = escaped(keepsLines && scalar == "\n" ? scalar : visible(scalar))
                guard line.count + bytes.count <= longestLine else { break }
                line += bytes
            }
        }
        return line + [0x0A]
    }

    /// A text of one line, without characters that would act instead of being seen.
    static func oneLine(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text.unicodeScalars.map(visible))
        return String(scalars)
    }

    private static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.properties.generalCategory {
        case .control: scalar == "\n" || scalar == "\t" ? " " : "?"
        case .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: "?"
        default: scalar
        }
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> [UInt8] {
        switch scalar {
        case "%": Array("%25".utf8)
        case "\r": Array("%0D".utf8)
        case "\n": Array("%0A".utf8)
        default: Array(String(scalar).utf8)
        }
    }
}
