// SPDX-License-Identifier: Apache-2.0

/// The four texts by which programs know a token: fields of `CK_TOKEN_INFO`, and attributes of `pkcs11:` URIs (RFC 7512,
/// 2.3). Blanks at their ends do not count in either.
package struct TokenFields: Sendable, Equatable {
    /// The size of the field of the label.
    package static let labelSize = 32
    /// The size of the field of a slot's description, which has the reader's name.
    package static let slotDescriptionSize = 64
    /// The vendor's library's answer for a token without a name.
    package static let noLabel = Array("Rutoken ECP <no label>".utf8)

    package let label, manufacturer, model, serial: [UInt8]

    package init(_ info: TokenInfo, _ model: TokenModel) {
        let noLabel = info.isFolder ? Array("<no name>".utf8) : Self.noLabel
        label = info.label(fitting: Self.labelSize).map { $0.withoutBlanksAtEnd } ?? noLabel
        manufacturer = Array((info.isFolder ? "CryptoPro CSP" : "Aktiv Co.").utf8)
        self.model = Array(model.name.utf8)
        let digits = Array("0123456789abcdef".utf8)
        // A folder's is its key's fingerprint, which no maker has numbered.
        serial = info.serial.suffix(info.isFolder ? 8 : 4).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }
    }
}

extension [UInt8] {
    /// The beginning of a text in UTF-8 that has at most so many bytes, and ends with a whole character.
    package func wholeCharacters(fitting size: Int) -> [UInt8] {
        guard count > size else { return self }
        // A character has at most three bytes after its first.
        let end = (0...3).map { size - $0 }.first { $0 > 0 && self[$0] & 0xC0 != 0x80 }
        return Array(prefix(end ?? size))
    }

    /// The text without the beginning of a character at its end, if all before that is UTF-8: a program has cut it.
    package var withoutCutCharacter: [UInt8] {
        guard !isUTF8 else { return self }
        for cut in 1...3 where cut <= count {
            let rest = Array(dropLast(cut))
            if self[count - cut] >= 0xC2, rest.isUTF8 { return rest }
        }
        return self
    }

    package var withoutBlanksAtEnd: [UInt8] {
        Array(prefix((lastIndex { $0 != UInt8(ascii: " ") } ?? -1) + 1))
    }

    private var isUTF8: Bool { String(validating: self, as: UTF8.self) != nil }
}
