// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import Synchronization
package import Translation

/// Why a call was refused, in words for the log: what was refused, and by which rule.
///
/// Text is literal, and only numbers and names of the standard can be inserted. So no value of an attribute, no PIN and
/// no data comes into a reason.
package struct Reason: Sendable, ExpressibleByStringInterpolation {
    package let phrase: Phrase
    /// The identifier by which `kanal doctor --log` explains it; nil if the return value says enough.
    package let id: MessageID?

    package init(stringLiteral text: StaticString) { (phrase, id) = (Phrase(key: text.description), nil) }

    package init(stringInterpolation: StringInterpolation) {
        (phrase, id) = (Phrase(stringInterpolation: stringInterpolation.phrase), stringInterpolation.id)
    }

    init(_ id: MessageID?, _ reason: Reason) { (phrase, self.id) = (reason.phrase, id) }

    /// Both reasons, while they are short enough for one line.
    func joined(with other: Reason?) -> Reason {
        guard let other, description.utf8.count < 400 else { return self }
        return "\(self); \(other)"
    }

    /// Whether the log takes reasons. Otherwise none is made.
    package static var isWanted: Bool {
        get { wanted.load(ordering: .relaxed) }
        set { wanted.store(newValue, ordering: .relaxed) }
    }

    private static let wanted = Atomic(true)

    package struct StringInterpolation: StringInterpolationProtocol {
        var phrase: Phrase.StringInterpolation
        fileprivate var id: MessageID?

        package init(literalCapacity: Int, interpolationCount: Int) {
            phrase = Phrase.StringInterpolation(
                literalCapacity: literalCapacity, interpolationCount: interpolationCount)
        }

        package mutating func appendLiteral(_ text: StaticString) { phrase.appendLiteral(text.description) }
        package mutating func appendInterpolation(_ text: StaticString) { phrase.appendInterpolation(text.description) }

        /// The identifier becomes that of the whole. Of several, the first counts: it is the cause of the others. But a
        /// possible attack is never left out.
        package mutating func appendInterpolation(_ reason: Reason) {
            phrase.appendInterpolation(reason.phrase)
            if id == nil || id?.isAttack == false && reason.id?.isAttack == true { id = reason.id }
        }

        /// A length, a position or another number, in decimal digits.
        package mutating func appendInterpolation(_ number: some FixedWidthInteger) {
            phrase.appendInterpolation(number)
        }

        /// A number in hexadecimal digits.
        package mutating func appendInterpolation(hex number: some FixedWidthInteger) {
            phrase.appendInterpolation("0x" + String(number, radix: 16, uppercase: true))
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
            if let name { appendInterpolation(name) } else { appendInterpolation(hex: number) }
        }
    }
}

extension Reason: CustomStringConvertible {
    package var description: String { phrase.description }
}
