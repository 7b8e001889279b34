// SPDX-License-Identifier: Apache-2.0
import KanalKit

/// The transform `urn://smev-gov-ru/xmldsig/transform` of the methodical recommendations for SMEV 3, version 3.5.0.27.
///
/// Prefixes are `ns1`, `ns2` … in the order in which namespaces are met, each declared where it is met; attributes are sorted by
/// namespace and name, with unqualified ones last; texts of blanks alone and instructions are left out.
///
/// The recommendations' program gets texts as events of Java's StAX, and leaves out each event that has blanks alone. That of
/// OpenJDK divides a text: `<`, `>`, `&` and a carriage return are events of their own, and each other one ends at the second line break
/// behind its first other character. So the last, blank line of some texts of several lines is left out. Programs that have texts
/// whole, or other libraries of StAX, sign something else then. OpenJDK also divides where its buffer ends, which is not done here.
struct SMEVTransform {
    private var output: [UInt8] = []
    private var prefixCount = 0
    /// The prefixes in force, by namespace, the innermost last.
    private var mappings: [(namespace: String, prefix: String)] = []

    /// The form of an element and all in it.
    ///
    /// - Throws: ``XMLFault/refused(_:)`` for elements without a namespace, for which the transform is not defined.
    static func bytes(of root: XMLElement) throws(XMLFault) -> [UInt8] {
        var transform = SMEVTransform()
        try transform.write(root)
        return transform.output
    }

    private mutating func write(_ element: XMLElement) throws(XMLFault) {
        let (name, namespace, outer) = (element.name, element.namespace, mappings.count)
        guard !namespace.isEmpty else {
            throw .refused(
                "the element \(name) has no namespace, and the SMEV transform is not defined for such elements")
        }
        let qualified = prefix(of: namespace) + ":" + name
        let attributes = element.attributes.sorted(by: Self.isBefore).map { attribute in
            let namespace = attribute.namespace
            let prefix = namespace.isEmpty ? "" : prefix(of: namespace) + ":"
            return (name: prefix + attribute.name, value: attribute.value)
        }
        append("<" + qualified)
        for (namespace, prefix) in mappings[outer...] {
            append(" xmlns:\(prefix)=\"")
            append(escaped: namespace)
            append("\"")
        }
        for (name, value) in attributes {
            append(" \(name)=\"")
            append(escaped: value)
            append("\"")
        }
        append(">")
        var text = ""
        for content in element.contents {
            if case .text(let more) = content {
                text += more
                continue
            }
            append(text: text)
            text = ""
            if case .element(let child) = content { try write(child) }
        }
        append(text: text)
        append("</\(qualified)>")
        mappings.removeLast(mappings.count - outer)
    }

    /// The prefix of a namespace, which gets one if it has none yet.
    private mutating func prefix(of namespace: String) -> String {
        if let known = mappings.last(where: { $0.namespace == namespace }) { return known.prefix }
        prefixCount += 1
        mappings.append((namespace, "ns\(prefixCount)"))
        return "ns\(prefixCount)"
    }

    /// By UTF-16, as Java compares.
    private static func isBefore(_ first: XMLAttribute, _ second: XMLAttribute) -> Bool {
        let (one, other) = (first.namespace, second.namespace)
        guard one == other else {
            return other.isEmpty || (!one.isEmpty && one.utf16.lexicographicallyPrecedes(other.utf16))
        }
        return first.name.utf16.lexicographicallyPrecedes(second.name.utf16)
    }

    private mutating func append(_ text: String) { output.append(contentsOf: text.utf8) }

    /// Appends a text, without the events that have blanks alone.
    private mutating func append(text: String) {
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let end = Self.event(in: bytes, from: start)
            if bytes[start..<end].contains(where: { $0 > 0x20 }) { append(bytes[start..<end], isValue: false) }
            start = end
        }
    }

    /// The end of an event of OpenJDK's StAX: a character that was written as a reference, or two runs of line breaks and others
    /// behind them.
    private static func event(in bytes: [UInt8], from start: Int) -> Int {
        var end = start
        func isReference(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "\r") || (reference(byte) != nil && byte != UInt8(ascii: "\""))
        }
        guard !isReference(bytes[start]) else { return start + 1 }
        for _ in 0..<2 {
            while end < bytes.count, bytes[end] == UInt8(ascii: "\n") { end += 1 }
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n"), !isReference(bytes[end]) { end += 1 }
        }
        return end
    }

    private mutating func append(escaped value: String) { append(Array(value.utf8)[...], isValue: true) }

    /// - Parameter isValue: Whether it is an attribute's value, in which quotation marks are escaped.
    private mutating func append(_ bytes: ArraySlice<UInt8>, isValue: Bool) {
        for byte in bytes {
            if let reference = Self.reference(byte), isValue || byte != UInt8(ascii: "\"") {
                unsafe output.append(
                    contentsOf: UnsafeBufferPointer(start: reference.utf8Start, count: reference.utf8CodeUnitCount))
            } else {
                output.append(byte)
            }
        }
    }

    private static func reference(_ byte: UInt8) -> StaticString? {
        switch byte {
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "\""): "&quot;"
        default: nil
        }
    }
}
