// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text as it may be shown on a terminal. Characters that would move the cursor, change colours, hide text or
    /// turn its direction are written as `\u{…}`; bytes of a file's name that are not UTF-8 as `\xe0`.
    package var printable: String {
        guard unicodeScalars.contains(where: Self.isHarmful) else { return self }
        return shownName.unicodeScalars.map { scalar in
            Self.isHarmful(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }.joined()
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }
}
