// SPDX-License-Identifier: Apache-2.0
import CXML
import KanalKit

/// The identifiers that elements of a document have, by which references name them.
///
/// Without a schema nothing says which attributes are identifiers: `Id`, `ID`, `wsu:Id` and `xml:id` are, and `id` where a
/// reference names it.
struct Identifiers {
    private var elements: [String: XMLElement] = [:]
    /// By `id`, of which documents may have several that are equal.
    private var lesser: [String: [XMLElement]] = [:]
    /// The signatures, which are found on the way: a visit of all elements of a large document is slow.
    private(set) var signatures: [XMLElement] = []

    /// The namespaces of XInclude: the standard's, and a draft's, which libxml2 follows, too.
    private static let inclusions = ["http://www.w3.org/2001/XInclude", "http://www.w3.org/2003/XInclude"]

    /// The greatest number of signatures.
    static let signatureLimit = 16

    /// - Throws: ``XMLFault/ambiguousIdentifier(_:)`` for one that two elements have; ``XMLFault/refused(_:)`` for
    ///   XInclude.
    init(_ document: XMLDocument) throws(XMLFault) {
        var (elements, lesser): ([String: XMLElement], [String: [XMLElement]]) = ([:], [:])
        var signatures: [XMLElement] = []
        try document.root.forEachMarked { element throws(XMLFault) in
            guard !Self.inclusions.contains(where: { element.isNamed("include", $0) }) else {
                throw .refused(
                    "the document includes others by XInclude, so that readers can see another one: take it out")
            }
            if element.isNamed("Signature", XMLName.signature) { signatures.append(element) }
            var own: [String] = []
            try element.forEachAttribute { attribute throws(XMLFault) in
                guard let isLesser = attribute.isLesserIdentifier else { return }
                let value = attribute.value
                if isLesser {
                    lesser[value, default: []].append(element)
                } else if !own.contains(value) {
                    own.append(value)
                    guard elements.updateValue(element, forKey: value) == nil else {
                        throw .ambiguousIdentifier(value)
                    }
                }
            }
        }
        guard signatures.count <= Self.signatureLimit else {
            throw .refused("the document has more than \(Self.signatureLimit) signatures")
        }
        (self.elements, self.lesser, self.signatures) = (elements, lesser, signatures)
    }

    /// The element with an identifier; nil if none has it.
    ///
    /// - Throws: ``XMLFault/ambiguousIdentifier(_:)``.
    func element(_ identifier: String) throws(XMLFault) -> XMLElement? {
        var found = lesser[identifier] ?? []
        if let element = elements[identifier], !found.contains(element) { found.append(element) }
        guard found.count <= 1 else { throw .ambiguousIdentifier(identifier) }
        return found.first
    }
}

extension XMLAttribute {
    /// Whether it is an identifier that documents may have several of; nil if it is none.
    fileprivate var isLesserIdentifier: Bool? {
        switch name {
        case "Id": namespace.isEmpty || namespace == XMLName.utility ? false : nil
        case "ID": namespace.isEmpty ? false : nil
        case "id": namespace.isEmpty ? true : namespace == XMLName.xml ? false : nil
        default: nil
        }
    }
}
