// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import Synchronization
package import Translation

/// Why a call was refused, in words for the log: what was refused, and by which rule.
///
/// Text is literal, and only numbers and names of the standard can be inserted. So no value of an attribute, no PIN and
/// no data comes into a reason.
package struct Reason: Sendable, ExpressibleByStringInterpolation {
    let text: String
    /// The identifier by which `kanal doctor --log` explains it; nil if the return value says enough.
    package let id: MessageID?

    package init(stringLiteral text: StaticString) { (self.text, id) = (text.description, nil) }

    package init(stringInterpolation: StringInterpolation) {
        (text, id) = (stringInterpolation.text, stringInterpolation.id)
    }

    init(_ id: MessageID, _ reason: Reason) { (text, self.id) = (reason.text, id) }

    /// Both reasons, while they are short enough for one line.
    func joined(with other: Reason?) -> Reason {
        guard let other, text.utf8.count < 400 else { return self }
        return "\(self); \(other)"
    }

    /// Whether the log takes reasons. Otherwise none is made.
    package static var isWanted: Bool {
        get { wanted.load(ordering: .relaxed) }
        set { wanted.store(newValue, ordering: .relaxed) }
    }

    private static let wanted = Atomic(true)

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var id: MessageID?

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ text: StaticString) { self.text += text.description }
        package mutating func appendInterpolation(_ text: StaticString) { appendLiteral(text) }

        /// The identifier becomes that of the whole. Of several, the first counts: it is the cause of the others. But a
        /// possible attack is never left out.
        package mutating func appendInterpolation(_ reason: Reason) {
            text += reason.text
            if id == nil || id?.isAttack == false && reason.id?.isAttack == true { id = reason.id }
        }

        /// A length, a position or another number, in decimal digits.
        package mutating func appendInterpolation(_ number: some FixedWidthInteger) { text += String(number) }

        /// A number in hexadecimal digits.
        package mutating func appendInterpolation(hex number: some FixedWidthInteger) {
            text += "0x" + String(number, radix: 16, uppercase: true)
        }

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
            if let name { appendLiteral(name) } else { appendInterpolation(hex: number) }
        }
    }
}

extension Reason: CustomStringConvertible {
    package var description: String { text }
}
