// SPDX-License-Identifier: Apache-2.0
import KanalKit

/// Where in a document a signature is put.
struct SignaturePlace {
    let parent: XMLElement
    /// Whether it comes before all that is in the element, and not behind it.
    var isFirst = false
    /// The tags around it that are put in with it.
    var wrapper: (start: String, end: String) = ("", "")

    /// - Parameter signed: The elements that are signed; empty for the document.
    init(
        _ form: XMLSignatureForm, in document: XMLDocument, _ identifiers: Identifiers, signed: [XMLElement]
    ) throws(XMLFault) {
        if let place = form.place {
            let found = try ElementPath(place).elements(in: document, identifiers)
            guard let element = found.first else { throw .noElement(place) }
            guard found.count == 1 else { throw .severalElements(place) }
            parent = element
            return
        }
        switch form.profile {
        case .plain, .smev: parent = try document.root
        case .xades:
            // Schemas of services that want XAdES have the signature first in what it signs.
            let root = try document.root
            parent = signed.first ?? root
            isFirst = true
        case .webServices: (parent, isFirst, wrapper) = try Self.header(of: try document.root)
        }
    }

    /// The security header of an envelope, or the place for one.
    private static func header(
        of envelope: XMLElement
    ) throws(XMLFault) -> (XMLElement, Bool, (start: String, end: String)) {
        let soap = envelope.namespace
        let security = (
            start: "<wsse:Security xmlns:wsse=\"\(XMLName.security)\">", end: "</wsse:Security>"
        )
        let headers = envelope.children("Header", soap)
        guard let header = headers.first else {
            return (
                envelope, true,
                ("<soap:Header xmlns:soap=\"\(soap)\">" + security.start, security.end + "</soap:Header>")
            )
        }
        let found = header.children("Security", XMLName.security)
        guard headers.count == 1, found.count <= 1 else { throw .severalElements("{\(XMLName.security)}Security") }
        guard let known = found.first else { return (header, false, security) }
        return (known, false, ("", ""))
    }

    /// The document with a text at this place; all its other bytes are as they were, but for an empty element, which gets an end tag.
    ///
    /// - Parameter number: The number of elements before the parent.
    func document(_ bytes: [UInt8], with text: String, inElement number: Int) throws(XMLFault) -> [UInt8] {
        guard let tags = try Markup.element(number, of: bytes) else {
            throw .notXML("the place of the signature is not found in the bytes of the document")
        }
        let text = Array(text.utf8)
        if tags.isEmpty {
            let name = bytes[tags.start].dropFirst().prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
            let slash = tags.start.upperBound - 2
            return bytes[..<slash] + [UInt8(ascii: ">")] + text + Array("</".utf8) + name
                + bytes[(slash + 1)...]
        }
        let place = isFirst ? tags.start.upperBound : tags.end.lowerBound
        return Array(bytes[..<place]) + text + Array(bytes[place...])
    }
}
