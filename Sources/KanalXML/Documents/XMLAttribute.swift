// SPDX-License-Identifier: Apache-2.0
import CXML

/// An attribute of an element. Declarations of namespaces are none.
@safe struct XMLAttribute {
    private let attribute: OpaquePointer

    fileprivate init(_ attribute: OpaquePointer) { unsafe self.attribute = unsafe attribute }

    var name: String { unsafe String(cString: CXML_attribute_name(attribute)) }
    /// The namespace's name; empty for none.
    var namespace: String { unsafe String(cString: CXML_attribute_namespace(attribute)) }

    var value: String {
        var text = ""
        var next = unsafe CXML_attribute_value(attribute)
        while let part = unsafe next {
            unsafe text += String(cString: CXML_content(part))
            unsafe next = CXML_next(part)
        }
        return text
    }
}

extension XMLElement {
    func forEachAttribute(_ body: (XMLAttribute) throws(XMLFault) -> Void) throws(XMLFault) {
        var next = unsafe CXML_attribute(node)
        while let attribute = unsafe next {
            try body(unsafe XMLAttribute(attribute))
            unsafe next = CXML_next_attribute(attribute)
        }
    }

    /// The attributes, in the document's order.
    var attributes: [XMLAttribute] {
        var found: [XMLAttribute] = []
        try? forEachAttribute { found.append($0) }
        return found
    }

    /// The value of an attribute without a namespace; nil if it has none of the name.
    subscript(name: String) -> String? { attributes.first { $0.name == name && $0.namespace.isEmpty }?.value }
}
