// SPDX-License-Identifier: Apache-2.0

import APDU
package import CCryptoki
package import Secrets
import Tokens

/// Attributes by type, each value in the bytes that an application sees (PKCS #11 v2.40, 4.1).
package struct Attributes: ObjectAttributes, Sendable, Equatable {
    private var values: [CK_ATTRIBUTE_TYPE: AttributeValue] = [:]
    /// The place of each type in the caller's template.
    private var origin: TemplateOrigin?

    package init() {}

    /// A template.
    ///
    /// - Parameter name: The caller's argument.
    /// - Throws: `CKR_TEMPLATE_INCONSISTENT` if a type comes twice with different values.
    package init(
        template: [(type: CK_ATTRIBUTE_TYPE, value: AttributeValue)], _ name: StaticString = "pTemplate"
    ) throws(CKError) {
        var origin = TemplateOrigin(name)
        for (index, (type, given)) in template.enumerated() {
            let value = given.number(of: type)
            if let first = values[type], first != value {
                throw .templateInconsistent("\(origin.place(of: type)) comes again with another value, at \(index)")
            }
            values[type] = value
            origin.enter(type, at: index)
        }
        self.origin = origin
    }

    /// A template whose values were never secret.
    package init(
        template: [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])], _ name: StaticString = "pTemplate"
    ) throws(CKError) {
        try self.init(template: template.map { ($0.type, Self.value($0.value, of: $0.type)) }, name)
    }

    package static func == (first: Attributes, second: Attributes) -> Bool { first.values == second.values }

    /// An attribute's name for a reason, with its place in the caller's template if it comes from there.
    func place(of type: CK_ATTRIBUTE_TYPE) -> Reason { origin?.place(of: type) ?? "\(attribute: type)" }

    package subscript(type: CK_ATTRIBUTE_TYPE) -> [UInt8]? {
        get { values[type]?.bytes }
        set { values[type] = newValue.map { Self.value($0, of: type) } }
    }

    /// A value that is kept as a secret; nil for others.
    package func secret(_ type: CK_ATTRIBUTE_TYPE) -> SharedSecret? {
        if case .secret(let secret) = values[type] { secret } else { nil }
    }

    /// The attributes that are a Big integer whatever object they belong to (PKCS #11 v2.40, 2.1; current mechanisms,
    /// 2.1.2 and 2.1.3). The number counts: leading zeros are not part of a value, in templates as in objects.
    fileprivate static let bigIntegers = Set([CKA_MODULUS, CKA_PUBLIC_EXPONENT] + KeyType.rsa.kind.secretAttributes)

    /// Copies a value with its secrecy.
    mutating func copy(_ type: CK_ATTRIBUTE_TYPE, of other: Attributes) { values[type] = other.values[type] }

    /// Copies all values from others.
    mutating func enter(_ others: Attributes) { values.merge(others.values) { $1 } }

    /// These attributes as an object keeps them.
    func kept(isPrivate: Bool) -> Attributes {
        var attributes = self
        attributes.values = values.mapValues { $0.kept(isPrivate: isPrivate) }
        return attributes
    }

    /// The object that the value is part of is not known. So a value that could make up a key is kept as a secret.
    private static func value(_ bytes: [UInt8], of type: CK_ATTRIBUTE_TYPE) -> AttributeValue {
        let value: AttributeValue = secrets.contains(type) ? .secret(SharedSecret(copying: bytes)) : .open(bytes)
        return value.number(of: type)
    }

    /// The types that have a value.
    package var types: some Collection<CK_ATTRIBUTE_TYPE> { values.keys }

    /// As ``types``: first the types of the caller's template, in its order.
    var orderedTypes: [CK_ATTRIBUTE_TYPE] { origin.map { $0.sorted(Array(types)) } ?? types.sorted() }

    /// Whether every attribute of `template` is here with the same value.
    package func matches(_ template: Attributes) -> Bool {
        template.values.allSatisfy { type, wanted in
            guard let value = values[type] else { return false }
            if value == wanted { return true }
            // The private number of a key of ECDSA is a Big integer, too; other objects have bytes in the same attribute.
            return type == CKA_VALUE && isPrivateKeyOfEC && value.withoutZeros == wanted.withoutZeros
        }
    }

    private var isPrivateKeyOfEC: Bool {
        values[CKA_CLASS]?.bytes == CKO_PRIVATE_KEY.bytes && values[CKA_KEY_TYPE]?.bytes == CKK_EC.bytes
    }

    /// A Boolean attribute; nil if it is absent.
    ///
    /// - Throws: `CKR_ATTRIBUTE_VALUE_INVALID` if it is not one byte.
    package func bool(_ type: CK_ATTRIBUTE_TYPE) throws(CKError) -> Bool? {
        guard let value = self[type] else { return nil }
        guard value.count == 1 else {
            throw .attributeValueInvalid("\(place(of: type)) has \(value.count) bytes, a CK_BBOOL has 1")
        }
        return value[0] != 0
    }

    /// A numeric attribute; nil if it is absent.
    ///
    /// - Throws: `CKR_ATTRIBUTE_VALUE_INVALID` if it does not have a `CK_ULONG`'s size.
    package func number(_ type: CK_ATTRIBUTE_TYPE) throws(CKError) -> CK_ULONG? {
        guard let value = self[type] else { return nil }
        guard let number = CK_ULONG(bytes: value) else {
            throw .attributeValueInvalid(
                "\(place(of: type)) has \(value.count) bytes, a CK_ULONG has \(MemoryLayout<CK_ULONG>.size)")
        }
        return number
    }

    mutating func set(_ type: CK_ATTRIBUTE_TYPE, _ value: Bool) { self[type] = [value ? 1 : 0] }
    mutating func set(_ type: CK_ATTRIBUTE_TYPE, _ value: CK_ULONG) { self[type] = value.bytes }
    mutating func set(_ type: CK_ATTRIBUTE_TYPE, _ value: [UInt8]) { self[type] = value }
    mutating func set(_ type: CK_ATTRIBUTE_TYPE, _ secret: borrowing Secret) {
        values[type] = AttributeValue.secret(SharedSecret(secret.copy())).number(of: type)
    }
}

extension CK_ULONG {
    /// `CK_UNAVAILABLE_INFORMATION`.
    package static var unavailable: CK_ULONG { ~0 }
}

/// The value of an attribute. Values of keys and of private objects are kept as secrets, and become arrays only while
/// they are read.
package enum AttributeValue: Sendable, Equatable {
    case open([UInt8])
    case secret(SharedSecret)

    var bytes: [UInt8] {
        switch self {
        case .open(let bytes): bytes
        case .secret(let secret): secret.bytes
        }
    }

    package static func == (left: AttributeValue, right: AttributeValue) -> Bool {
        switch (left, right) {
        case (.secret(let left), .secret(let right)): left == right
        default: left.bytes == right.bytes
        }
    }

    /// The value of an attribute of this type: of a Big integer without the zeros before it.
    fileprivate func number(of type: CK_ATTRIBUTE_TYPE) -> AttributeValue {
        Attributes.bigIntegers.contains(type) ? withoutZeros : self
    }

    /// A number, most significant byte first, without zeros before it; the number 0 keeps one byte.
    fileprivate var withoutZeros: AttributeValue {
        switch self {
        case .open(let bytes): return .open(Array(bytes.dropFirst(bytes.span.zerosBeforeNumber)))
        case .secret(let secret):
            let count = secret.secret.withBytes { $0.zerosBeforeNumber }
            guard count > 0 else { return self }
            return .secret(SharedSecret(secret.secret.extracting(count..<secret.secret.count)))
        }
    }

    /// The value as an object keeps it: secret if the object is private and the value is longer than a number.
    func kept(isPrivate: Bool) -> AttributeValue {
        switch self {
        case .open(let bytes) where isPrivate && bytes.count > MemoryLayout<CK_ULONG>.size:
            .secret(SharedSecret(copying: bytes))
        case .secret(let secret) where !isPrivate: .open(secret.bytes)
        default: self
        }
    }
}

/// Templates as values of attributes (PKCS #11 v2.40, 4.8 to 4.10).
///
/// Such a value is packed, here and on the token: for each attribute, in the order of their types, the type and the
/// length of the value, both in four bytes, little-endian, and the value.
extension Attributes {
    /// Whether the value of an attribute of this type is a template.
    package static func holdsTemplate(_ type: CK_ATTRIBUTE_TYPE) -> Bool {
        [CKA_WRAP_TEMPLATE, CKA_UNWRAP_TEMPLATE, CKA_DERIVE_TEMPLATE].contains(type)
    }

    /// The template in a value; nil if the value is malformed, or has a template in it.
    package init?(packed bytes: [UInt8]) {
        self.init()
        var cursor = ByteCursor(bytes)
        while !cursor.isAtEnd {
            guard let type = cursor.number(), let count = cursor.number(), let value = try? cursor.bytes(Int(count)),
                !Self.holdsTemplate(CK_ATTRIBUTE_TYPE(type))
            else { return nil }
            self[CK_ATTRIBUTE_TYPE(type)] = value
        }
    }

    /// The attributes as the value of another one; nil if a type or a length does not fit the form.
    package var packed: [UInt8]? {
        var bytes: [UInt8] = []
        for type in types.sorted() {
            let value = self[type] ?? []
            guard let number = UInt32(exactly: type), let count = UInt32(exactly: value.count),
                !Self.holdsTemplate(type)
            else { return nil }
            for number in [number, count] { bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
            bytes += value
        }
        return bytes
    }

    /// These attributes, joined with a key's template for the keys that are made with it.
    ///
    /// - Throws: `CKR_TEMPLATE_INCONSISTENT` where they differ.
    func joined(with key: Attributes, _ type: CK_ATTRIBUTE_TYPE) throws(CKError) -> Attributes {
        guard let fixed = Attributes(packed: key[type] ?? []) else {
            throw .templateInconsistent("the key's \(attribute: type) is not a template")
        }
        var joined = self
        for fixedType in fixed.orderedTypes {
            guard joined[fixedType] == nil || joined[fixedType] == fixed[fixedType] else {
                throw .templateInconsistent(
                    "\(place(of: fixedType)) has another value than in the key's \(attribute: type)")
            }
            joined[fixedType] = fixed[fixedType]
        }
        return joined
    }
}

extension Span<UInt8> {
    /// The zeros before a number, most significant byte first, but for its last byte.
    fileprivate var zerosBeforeNumber: Int {
        var zeros = 0
        while zeros + 1 < count, self[zeros] == 0 { zeros += 1 }
        return zeros
    }
}

extension ByteCursor {
    fileprivate mutating func number() -> UInt32? {
        (try? bytes(4))?.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
