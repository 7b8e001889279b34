// SPDX-License-Identifier: Apache-2.0
import CXML
import KanalKit

/// An element of a document.
@safe struct XMLElement: Equatable {
    let document: XMLDocument
    let node: OpaquePointer

    init(_ node: OpaquePointer, of document: XMLDocument) {
        self.document = document
        unsafe self.node = unsafe node
    }

    private init?(_ node: OpaquePointer?, in document: XMLDocument) {
        guard let node = unsafe node else { return nil }
        unsafe self.init(node, of: document)
    }

    static func == (first: Self, second: Self) -> Bool { unsafe first.node == second.node }

    /// The name without a prefix.
    var name: String { unsafe String(cString: CXML_name(node)) }
    /// The namespace's name; empty for none.
    var namespace: String { unsafe String(cString: CXML_namespace(node)) }

    func isNamed(_ name: String, _ namespace: String) -> Bool { unsafe CXML_is(node, name, namespace) == 1 }

    /// The element that it is in; nil for the root.
    var parent: XMLElement? { unsafe XMLElement(CXML_parent(node), in: document) }

    /// A part of an element.
    @safe private struct Node {
        let pointer: OpaquePointer

        var kind: CXMLKind { unsafe CXML_kind(pointer) }
        var text: String { unsafe String(cString: CXML_content(pointer)) }
    }

    /// All that is in it, in order.
    private var nodes: [Node] {
        var found: [Node] = []
        var next = unsafe CXML_child(node)
        while let node = unsafe next {
            found.append(unsafe Node(pointer: node))
            unsafe next = CXML_next(node)
        }
        return found
    }

    /// A part of an element that has a meaning.
    enum Content {
        case element(XMLElement)
        case text(String)
        /// A processing instruction, or another part without text.
        case other
    }

    /// All that is in it, in order, without comments.
    var contents: [Content] {
        nodes.compactMap { node in
            switch node.kind {
            case CXML_ELEMENT: .element(unsafe XMLElement(node.pointer, of: document))
            case CXML_TEXT: .text(node.text)
            case CXML_COMMENT: nil
            default: .other
            }
        }
    }

    /// The elements in it, in order.
    var children: [XMLElement] {
        nodes.filter { $0.kind == CXML_ELEMENT }.map { node in unsafe XMLElement(node.pointer, of: document) }
    }

    /// The elements in it with a name of a namespace.
    func children(_ name: String, _ namespace: String) -> [XMLElement] {
        children.filter { $0.isNamed(name, namespace) }
    }

    /// The text of an element that has nothing else in it; nil for another one. Whoever reads such a text with a comment in it
    /// may see a part of it only.
    var text: String? {
        let nodes = nodes
        return nodes.allSatisfy { $0.kind == CXML_TEXT } ? nodes.map(\.text).joined() : nil
    }

    /// Whether there is a comment or an instruction in it, at any depth.
    var hasRemarks: Bool {
        nodes.contains { node in
            switch node.kind {
            case CXML_ELEMENT: unsafe XMLElement(node.pointer, of: document).hasRemarks
            case CXML_TEXT: false
            default: true
            }
        }
    }

    /// The element itself and all below it, in the order of the document, one after the other.
    ///
    /// - Parameter body: Returns whether to go on.
    func forEach(_ body: (XMLElement) throws(XMLFault) -> Bool) throws(XMLFault) {
        var next = unsafe Optional(node)
        while let at = unsafe next {
            guard try body(unsafe XMLElement(at, of: document)) else { return }
            unsafe next = CXML_next_element(at, node)
        }
    }

    /// The element itself, and all below it that may be signatures, include documents or have identifiers.
    func forEachMarked(_ body: (XMLElement) throws(XMLFault) -> Void) throws(XMLFault) {
        var next = unsafe Optional(node)
        while let at = unsafe next {
            try body(unsafe XMLElement(at, of: document))
            unsafe next = CXML_next_marked(at, node)
        }
    }

    /// The number of elements before it in the document.
    var number: Int {
        get throws(XMLFault) {
            var count = 0
            try document.root.forEach { element in
                guard element != self else { return false }
                count += 1
                return true
            }
            return count
        }
    }

    /// Whether it is the other element, or in it.
    func isWithin(_ other: XMLElement) -> Bool {
        var element: XMLElement? = self
        while let current = element {
            if current == other { return true }
            element = current.parent
        }
        return false
    }

    /// Inserts an element that declares its own prefixes.
    ///
    /// - Throws: ``XMLFault/refused(_:)`` if memory is missing.
    @discardableResult
    func insert(_ text: String, isFirst: Bool) throws(XMLFault) -> XMLElement {
        let bytes = Array(text.utf8)
        let added = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe CXML_insert(node, isFirst ? 1 : 0, bytes.baseAddress, bytes.count)
        }
        guard let added = unsafe XMLElement(added, in: document) else {
            throw .refused("there is not enough memory for the signature")
        }
        return added
    }

    /// Gives it a text as its only content.
    ///
    /// - Throws: ``XMLFault/refused(_:)`` if memory is missing.
    func set(text: String) throws(XMLFault) {
        guard unsafe CXML_set_text(node, text) == 1 else {
            throw .refused("there is not enough memory for the signature")
        }
    }
}
