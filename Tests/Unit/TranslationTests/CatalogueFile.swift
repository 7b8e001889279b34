// SPDX-License-Identifier: Apache-2.0
import Translation

/// A file of translations in memory, in either order of bytes.
struct CatalogueFile {
    private(set) var bytes: [UInt8] = []

    init(_ entries: [String: String], isLittle: Bool = true) {
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

    var catalogue: Catalogue? { Catalogue(bytes) }
}
