// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
package import Tokens

/// Names of the standard in reasons.
extension Reason.StringInterpolation {
    /// The name of an attribute's type.
    package mutating func appendInterpolation(attribute type: CK_ATTRIBUTE_TYPE) {
        append(Names.attribute(type), type)
    }

    /// The name of a mechanism.
    package mutating func appendInterpolation(mechanism type: CK_MECHANISM_TYPE) {
        append(Names.mechanism(type), type)
    }

    /// The name of a class of objects.
    package mutating func appendInterpolation(class type: CK_OBJECT_CLASS) {
        append(Names.objectClass(type), type)
    }

    /// The name of a key's type.
    package mutating func appendInterpolation(keyType type: CK_KEY_TYPE) { append(Names.keyType(type), type) }

    /// A name, or the number that has none.
    private mutating func append(_ name: StaticString?, _ number: CK_ULONG) {
        if let name { appendInterpolation(name) } else { appendInterpolation(hex: number) }
    }
}

/// The places of attributes in an application's template, so that a reason can name the refused attribute.
struct TemplateOrigin: Sendable {
    /// The argument of the application's call.
    private let name: StaticString
    private var positions: [CK_ATTRIBUTE_TYPE: Int] = [:]

    init(_ name: StaticString) { self.name = name }

    mutating func enter(_ type: CK_ATTRIBUTE_TYPE, at index: Int) { positions[type] = index }

    /// The attribute's name, and its place in the template if it is there.
    func place(of type: CK_ATTRIBUTE_TYPE) -> Reason {
        guard let index = positions[type] else { return "\(attribute: type)" }
        return "\(name)[\(index)] \(attribute: type)"
    }

    /// Types in the template's order, and after them those that it does not have.
    func sorted(_ types: [CK_ATTRIBUTE_TYPE]) -> [CK_ATTRIBUTE_TYPE] {
        types.sorted { (positions[$0] ?? .max, $0) < (positions[$1] ?? .max, $1) }
    }
}
