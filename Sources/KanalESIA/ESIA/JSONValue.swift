// SPDX-License-Identifier: Apache-2.0

/// A value of JSON (RFC 8259), with texts as bytes of valid UTF-8.
indirect enum JSONValue {
    case null
    case flag(Bool)
    case number(String)
    case text([UInt8])
    case list([JSONValue])
    case object([String: JSONValue])

    /// A text.
    var string: String? { if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil } }

    /// Whether it is a text, byte for byte: Swift also treats texts as equal if they differ only in Unicode's form of a
    /// character.
    func isText(_ text: String) -> Bool {
        if case .text(let bytes) = self { bytes.elementsEqual(text.utf8) } else { false }
    }
}
