// SPDX-License-Identifier: Apache-2.0
import CCryptoki

/// The rule for one attribute of a class of objects (PKCS #11 v2.40, table 10).
struct AttributeRule: Sendable {
    /// The form of a value.
    enum Form: Sendable {
        case bool, number, bytes
        /// Numbers one after another.
        case numbers
        /// Attributes, packed.
        case template
        /// Eight digits, or nothing.
        case date
    }

    /// Whether a template for a new object has it.
    enum Presence: Sendable {
        case required
        /// May be left out. The default is this.
        case optional([UInt8])
        /// May be left out. The library then computes it from the others.
        case computed
        /// Only the library sets it, to this.
        case readOnly([UInt8])
    }

    /// How it can change once the object exists.
    enum Change: Sendable {
        case never
        /// In a copy only.
        case copy
        case always
        /// To this value, and not back.
        case only(Bool)
        /// By the SO.
        case officer
    }

    var form: Form
    var presence: Presence
    var change: Change

    static let required = AttributeRule(form: .bytes, presence: .required, change: .never)
    static let requiredNumber = AttributeRule(form: .number, presence: .required, change: .never)

    static func bool(_ value: Bool, _ change: Change = .always) -> AttributeRule {
        AttributeRule(form: .bool, presence: .optional([value ? 1 : 0]), change: change)
    }

    static func bytes(_ value: [UInt8] = [], _ change: Change = .always) -> AttributeRule {
        AttributeRule(form: .bytes, presence: .optional(value), change: change)
    }

    static func number(_ value: CK_ULONG) -> AttributeRule {
        AttributeRule(form: .number, presence: .optional(value.bytes), change: .never)
    }

    static let date = AttributeRule(form: .date, presence: .optional([]), change: .always)

    static func readOnly(_ form: Form, _ value: [UInt8]) -> AttributeRule {
        AttributeRule(form: form, presence: .readOnly(value), change: .never)
    }

    /// A template for the keys that a key wraps, unwraps or derives.
    static let template = AttributeRule(form: .template, presence: .optional([]), change: .never)

    /// `CKA_TRUSTED`.
    static let trusted = AttributeRule(form: .bool, presence: .optional([0]), change: .officer)

    /// - Parameter place: The attribute's name for a reason.
    /// - Throws: `CKR_ATTRIBUTE_VALUE_INVALID`.
    func check(_ value: [UInt8], _ place: @autoclosure () -> Reason) throws(CKError) {
        let isValid =
            switch form {
            case .bool: value == [0] || value == [1]
            case .number: value.count == MemoryLayout<CK_ULONG>.size
            case .numbers: value.count.isMultiple(of: MemoryLayout<CK_ULONG>.size)
            case .template: Attributes(packed: value)?.packed == value
            case .bytes: true
            case .date: value.isEmpty || (value.count == 8 && value.allSatisfy { (0x30...0x39).contains($0) })
            }
        guard isValid else {
            throw .attributeValueInvalid("\(place()) has \(value.count) bytes that are not \(form.description)")
        }
    }

    /// Whether the attribute may go from one value to another, in a copy or in the object itself.
    func allows(_ old: [UInt8]?, to new: [UInt8], inCopy: Bool, byOfficer: Bool) -> Bool {
        switch change {
        case .never: false
        case .copy: inCopy
        case .always: true
        case .only(let value): old == new || new == [value ? 1 : 0]
        case .officer: old == new || byOfficer
        }
    }
}

extension AttributeRule.Form {
    fileprivate var description: Reason {
        switch self {
        case .bool: "CK_TRUE or CK_FALSE"
        case .number: "CK_ULONG"
        case .numbers: "list of CK_ULONG"
        case .bytes: "bytes"
        case .template: "template"
        case .date: "CK_DATE with eight digits"
        }
    }
}
