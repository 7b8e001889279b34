// SPDX-License-Identifier: Apache-2.0
package import Translation

/// A file of translations in memory, in either order of bytes.
package struct CatalogueFile {
    package private(set) var bytes: [UInt8] = []

    package init(_ entries: [String: String], isLittle: Bool = true) {
        let pairs = entries.map { (Array($0.key.utf8), Array($0.value.utf8)) }
            .sorted { $0.0.lexicographicallyPrecedes($1.0) }
        func add(_ number: Int) {
            let four = [
                UInt8(number >> 24 & 0xFF), UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF),
            ]
            bytes += isLittle ? four.reversed() : four
        }
        for number in [0x9504_12DE, 0, pairs.count, 28, 28 + 8 * pairs.count, 0, 0] { add(number) }
        var place = 28 + 16 * pairs.count
        for texts in [pairs.map(\.0), pairs.map(\.1)] {
            for text in texts {
                add(text.count)
                add(place)
                place += text.count + 1
            }
        }
        for text in pairs.map(\.0) + pairs.map(\.1) { bytes += text + [0] }
    }

    package var catalogue: Catalogue? { Catalogue(bytes) }
}

extension CatalogueFile {
    /// The translations of a file of gettext's text form, as msgfmt makes them.
    package init(po text: String) {
        var entries: [String: String] = [:]
        var (key, field) = ("", "")
        for line in text.split(separator: "\n") {
            guard let start = line.firstIndex(of: "\""), line.last == "\"", !line.hasPrefix("#") else { continue }
            let words = Self.unescaped(line[start...].dropFirst().dropLast())
            switch line[..<start] {
            case "msgid ": (key, field) = (words, "key")
            case "msgstr ":
                field = "text"
                entries[key] = words
            case _ where field == "key": key += words
            default: entries[key, default: ""] += words
            }
        }
        self.init(entries.filter { !$0.key.isEmpty && !$0.value.isEmpty })
    }

    private static func unescaped(_ text: Substring) -> String {
        var (result, isEscaped) = ("", false)
        for character in text {
            if !isEscaped, character == "\\" {
                isEscaped = true
            } else {
                result.append(isEscaped && character == "n" ? "\n" : character)
                isEscaped = false
            }
        }
        return result
    }
}
