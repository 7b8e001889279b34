// SPDX-License-Identifier: Apache-2.0

extension String {
    /// The text as it may be shown on a terminal. Characters that would move the cursor, change colours, hide text or
    /// turn its direction are written as `\u{…}`.
    package var printable: String {
        guard unicodeScalars.contains(where: Self.isHarmful) else { return self }
        return unicodeScalars.map { scalar in
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
