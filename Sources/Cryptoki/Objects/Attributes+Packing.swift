// SPDX-License-Identifier: Apache-2.0
import APDU
package import CCryptoki

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

extension ByteCursor {
    fileprivate mutating func number() -> UInt32? {
        (try? bytes(4))?.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}
