// SPDX-License-Identifier: Apache-2.0

extension Catalogue {
    /// The prefix of the keys of texts that were put together elsewhere: a context, as gettext writes it.
    private static let context = Array("told\u{4}".utf8)
    /// The longest text that is looked for, in bytes.
    private static let longest = 4096
    /// The limit of nested texts of this kind.
    private static let depth = 3

    /// The translation of an English text that others have put together; nil if not found.
    ///
    /// Such a text is a key as it is, or has the words of a key `told` in their order, with something in each place of
    /// an argument. Of several keys the one with the most words counts. The texts in the places are translated in turn.
    func translation(ofTold text: String) -> String? { translation(ofTold: text, depth: Self.depth) }

    private func translation(ofTold text: String, depth: Int) -> String? {
        if let found = self[text] { return found }
        let octets = Array(text.utf8)
        guard depth > 0, octets.count <= Self.longest else { return nil }
        var (best, words, arguments) = (0, 0, [ArraySlice<UInt8>]())
        for index in 0..<count {
            guard let key = key(index), key.starts(with: Self.context) else { continue }
            let pieces = Self.pieces(of: key.dropFirst(Self.context.count))
            let length = pieces.reduce(0) { $0 + $1.count }
            if length > words, let found = Self.places(in: octets[...], between: pieces) {
                (best, words, arguments) = (index, length, found)
            }
        }
        guard words > 0, let found = self.text(best),
            Set(Placeholders.numbers(of: found)) == Set(arguments.indices)
        else { return nil }
        return Placeholders.filled(found) { number in
            let argument = String(decoding: arguments[number], as: UTF8.self)
            return translation(ofTold: argument, depth: depth - 1) ?? argument
        }
    }

    /// The pieces between the arguments of a key.
    private static func pieces(of key: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var (start, index) = (key.startIndex, key.startIndex)
        while index < key.endIndex {
            // No such key has more than ten arguments.
            if key[index] == UInt8(ascii: "{"), key.endIndex - index > 2, key[index + 2] == UInt8(ascii: "}") {
                pieces.append(key[start..<index])
                index += 3
                start = index
            } else {
                index += 1
            }
        }
        return pieces + [key[start...]]
    }

    /// The parts between the pieces in a text that is made of them; nil if it is not.
    private static func places(
        in text: ArraySlice<UInt8>, between pieces: [ArraySlice<UInt8>]
    ) -> [ArraySlice<UInt8>]? {
        guard let first = pieces.first, let last = pieces.last, pieces.count > 1, text.starts(with: first) else {
            return nil
        }
        var rest = text.dropFirst(first.count)
        var places: [ArraySlice<UInt8>] = []
        for piece in pieces.dropFirst().dropLast() {
            guard let place = rest.indices.dropFirst().first(where: { rest[$0...].starts(with: piece) }) else {
                return nil
            }
            places.append(rest[..<place])
            rest = rest[(place + piece.count)...]
        }
        guard rest.count > last.count, rest.suffix(last.count).elementsEqual(last) else { return nil }
        return places + [rest.dropLast(last.count)]
    }
}
