// SPDX-License-Identifier: Apache-2.0

import CCryptoki
import GOST
import Tokens

/// The attributes of objects of one class and type, and the rule for each (PKCS #11 v2.40, 4; `CKA_UNIQUE_ID`, v3.0,
/// 4.4; GOST, 2.40 current mechanisms, 2.22 to 2.24).
struct AttributeTable: Sendable {
    typealias Rules = [CK_ATTRIBUTE_TYPE: AttributeRule]

    var rules: Rules

    /// The table for the object that a template describes, or that has these attributes.
    ///
    /// - Throws: `CKR_TEMPLATE_INCOMPLETE` without a class or a key's type, `CKR_ATTRIBUTE_VALUE_INVALID` for an
    ///   unknown one of both, `CKR_TEMPLATE_INCONSISTENT` for a type that the class does not have here.
    init(for attributes: Attributes) throws(CKError) {
        guard let objectClass = try attributes.number(CKA_CLASS) else {
            throw .templateIncomplete("CKA_CLASS is missing")
        }
        switch objectClass {
        case CKO_DATA: rules = Self.data
        case CKO_CERTIFICATE:
            guard try attributes.number(CKA_CERTIFICATE_TYPE) ?? CKC_X_509 == CKC_X_509 else {
                throw .templateInconsistent("\(attributes.place(of: CKA_CERTIFICATE_TYPE)) is not CKC_X_509")
            }
            rules = Self.certificate
        case CKO_PUBLIC_KEY: rules = Self.publicKey(try attributes.keyPairKind())
        case CKO_PRIVATE_KEY: rules = Self.privateKey(try attributes.keyPairKind())
        case CKO_SECRET_KEY: rules = try Self.secretKey(attributes.keyTypeNumber())
        case CKO_HW_FEATURE:
            throw .attributeReadOnly("\(attributes.place(of: CKA_CLASS)) is CKO_HW_FEATURE, which only a token has")
        default:
            throw .attributeValueInvalid(
                "\(attributes.place(of: CKA_CLASS)) is \(class: objectClass), of which no object can be made here")
        }
        rules.merge(Self.storage) { own, _ in own }
    }

    subscript(type: CK_ATTRIBUTE_TYPE) -> AttributeRule? { rules[type] }

    // MARK: Classes

    private static let storage: Rules = [
        CKA_CLASS: .requiredNumber, CKA_TOKEN: .bool(false, .copy), CKA_PRIVATE: .bool(false, .copy),
        CKA_MODIFIABLE: .bool(true, .copy), CKA_LABEL: .bytes(), CKA_COPYABLE: .bool(true, .only(false)),
        CKA_DESTROYABLE: .bool(true, .copy), CKA_UNIQUE_ID: .readOnly(.bytes, []),
    ]

    private static let data: Rules = [CKA_APPLICATION: .bytes(), CKA_OBJECT_ID: .bytes(), CKA_VALUE: .bytes()]

    /// The vendor's programs leave out type and subject.
    private static let certificate: Rules = [
        CKA_CERTIFICATE_TYPE: .number(CKC_X_509), CKA_TRUSTED: .trusted,
        CKA_CERTIFICATE_CATEGORY: .number(0), CKA_CHECK_VALUE: .checkValue,
        CKA_PUBLIC_KEY_INFO: .bytes([], .never), CKA_START_DATE: .date,
        CKA_END_DATE: .date, CKA_SUBJECT: .bytes([], .never), CKA_ID: .bytes(), CKA_ISSUER: .bytes(),
        CKA_SERIAL_NUMBER: .bytes(), CKA_VALUE: .required, CKA_URL: .bytes([], .never),
        CKA_HASH_OF_SUBJECT_PUBLIC_KEY: .bytes([], .never), CKA_HASH_OF_ISSUER_PUBLIC_KEY: .bytes([], .never),
        CKA_JAVA_MIDP_SECURITY_DOMAIN: .number(0), CKA_NAME_HASH_ALGORITHM: .number(CKM_SHA_1),
    ]
}

extension AttributeTable.Rules {
    /// The rules of both; where both have one, `other` prevails.
    func adding(_ other: AttributeTable.Rules) -> AttributeTable.Rules { merging(other) { $1 } }
}

extension Attributes {
    /// The type of a key. Templates may leave out a GOST key's type, which follows from its curve.
    fileprivate func keyTypeNumber() throws(CKError) -> CK_KEY_TYPE {
        if let type = try number(CKA_KEY_TYPE) { return type }
        guard let gostCurve else {
            throw .templateIncomplete("CKA_KEY_TYPE is missing, and no CKA_GOSTR3410_PARAMS tell it")
        }
        return KeyType(gostCurve).rawValue
    }

    /// The kind of a key pair's half, by its type.
    func keyPairKind() throws(CKError) -> any KeyPairKind {
        let type = try keyTypeNumber()
        guard let known = KeyType(type) else { throw AttributeTable.unknown(type, "a key pair") }
        return known.kind
    }
}

/// The attributes of keys (PKCS #11 v2.40, 4.7 to 4.10; `CKA_DERIVE_TEMPLATE`, v3.0, 4.9 and 4.10).
extension AttributeTable {
    private static let key: Rules = [
        CKA_KEY_TYPE: .requiredNumber, CKA_ID: .bytes(), CKA_START_DATE: .date, CKA_END_DATE: .date,
        CKA_DERIVE: .bool(false), CKA_LOCAL: .readOnly(.bool, [0]),
        CKA_KEY_GEN_MECHANISM: .readOnly(.number, CK_ULONG.unavailable.bytes),
        CKA_ALLOWED_MECHANISMS: AttributeRule(form: .numbers, presence: .optional([]), change: .never),
    ]

    /// Attributes that cannot be set back, to learn or export a key.
    private static let sensitive: Rules = [
        CKA_ALWAYS_SENSITIVE: .readOnly(.bool, [0]), CKA_NEVER_EXTRACTABLE: .readOnly(.bool, [0]),
        CKA_WRAP_WITH_TRUSTED: .bool(false, .only(true)),
    ]

    /// The error for a type that no key of a kind has: `CKR_ATTRIBUTE_VALUE_INVALID` if no other key has it either, or else
    /// `CKR_TEMPLATE_INCONSISTENT`, as the rest of the template is of another kind.
    static func unknown(_ type: CK_KEY_TYPE, _ key: Reason) -> CKError {
        guard KeyType(type) != nil || SecretKeyType(type) != nil else {
            return .attributeValueInvalid("CKA_KEY_TYPE is \(keyType: type), which no key can have here")
        }
        return .templateInconsistent("CKA_KEY_TYPE is \(keyType: type), which \(key) cannot have here")
    }

    static func publicKey(_ kind: any KeyPairKind) -> Rules {
        let encrypts = AttributeRule.bool(kind.encrypts)
        return key.adding([
            CKA_SUBJECT: .bytes(), CKA_PUBLIC_KEY_INFO: .bytes([], .never), CKA_ENCRYPT: encrypts,
            CKA_VERIFY: .bool(true), CKA_VERIFY_RECOVER: encrypts, CKA_WRAP: encrypts, CKA_TRUSTED: .trusted,
            CKA_WRAP_TEMPLATE: .template,
        ]).adding(kind.rules(isPublic: true))
    }

    static func privateKey(_ kind: any KeyPairKind) -> Rules {
        let encrypts = AttributeRule.bool(kind.encrypts)
        return key.adding(sensitive).adding([
            CKA_PRIVATE: .bool(true, .copy), CKA_SUBJECT: .bytes(), CKA_PUBLIC_KEY_INFO: .bytes([], .never),
            CKA_SENSITIVE: .bool(true, .only(true)), CKA_EXTRACTABLE: .bool(false, .only(false)),
            CKA_DECRYPT: encrypts, CKA_SIGN: .bool(true), CKA_SIGN_RECOVER: encrypts, CKA_UNWRAP: encrypts,
            CKA_UNWRAP_TEMPLATE: .template, CKA_DERIVE_TEMPLATE: .template,
            CKA_ALWAYS_AUTHENTICATE: .bool(false, .never), CKA_VENDOR_KEY_PIN_ENTER: .bool(false, .never),
            CKA_VENDOR_KEY_CONFIRM_OP: .bool(false, .never), CKA_VENDOR_CONFIRM_BY_TOUCH: .bool(false, .never),
        ]).adding(kind.rules(isPublic: false))
    }

    static func secretKey(_ type: CK_KEY_TYPE) throws(CKError) -> Rules {
        guard let type = SecretKeyType(type) else { throw unknown(type, "a secret key") }
        let parameters: Rules = type == .gost28147 ? [CKA_GOST28147_PARAMS: .bytes(SBox.tc26Z.oid, .never)] : [:]
        let permissions = [CKA_ENCRYPT, CKA_DECRYPT, CKA_SIGN, CKA_VERIFY, CKA_WRAP, CKA_UNWRAP, CKA_DERIVE]
        return key.adding(sensitive).adding(parameters)
            .adding(Rules(uniqueKeysWithValues: permissions.map { ($0, .bool(true)) }))
            .adding([
                CKA_PRIVATE: .bool(true, .copy), CKA_VALUE: .required, CKA_VALUE_LEN: .readOnly(.number, []),
                CKA_SENSITIVE: .bool(false, .only(true)), CKA_EXTRACTABLE: .bool(true, .only(false)),
                CKA_TRUSTED: .trusted, CKA_WRAP_TEMPLATE: .template, CKA_UNWRAP_TEMPLATE: .template,
                CKA_DERIVE_TEMPLATE: .template,
                CKA_CHECK_VALUE: .checkValue,
            ])
    }
}

extension AttributeTable {
    /// The attributes of a new object: the template's, and the defaults of the others.
    ///
    /// - Throws: `CKR_ATTRIBUTE_TYPE_INVALID`, `CKR_ATTRIBUTE_READ_ONLY`, `CKR_ATTRIBUTE_VALUE_INVALID` or
    ///   `CKR_TEMPLATE_INCOMPLETE`.
    func attributes(from template: Attributes) throws(CKError) -> Attributes {
        for type in template.orderedTypes {
            let (rule, value) = try rule(for: type, in: template)
            if case .readOnly = rule.presence {
                throw .attributeReadOnly("\(template.place(of: type)) is set by the library alone")
            }
            try rule.check(value, template.place(of: type))
        }
        for type in rules.keys.sorted() where template[type] == nil && type != CKA_KEY_TYPE {
            if case .required = rules[type]?.presence {
                throw .templateIncomplete("\(attribute: type) is missing from \(description(of: template))")
            }
        }
        return completed(template)
    }

    /// The attributes, with the defaults of missing ones.
    func completed(_ attributes: Attributes) -> Attributes {
        var attributes = attributes
        for (type, rule) in rules where attributes[type] == nil {
            switch rule.presence {
            case .required, .computed: continue
            case .optional(let value), .readOnly(let value): attributes.set(type, value)
            }
        }
        return attributes
    }

    /// The attributes after a change, of a copy or of the object itself.
    ///
    /// - Throws: `CKR_ATTRIBUTE_TYPE_INVALID`, `CKR_ATTRIBUTE_VALUE_INVALID` or `CKR_ATTRIBUTE_READ_ONLY`; then
    ///   nothing has changed.
    func changing(
        _ attributes: Attributes, by template: Attributes, inCopy: Bool, byOfficer: Bool
    ) throws(CKError) -> Attributes {
        var changed = attributes
        for type in template.orderedTypes {
            let (rule, value) = try rule(for: type, in: template, of: attributes)
            try rule.check(value, template.place(of: type))
            guard rule.allows(attributes[type], to: value, inCopy: inCopy, byOfficer: byOfficer) else {
                throw .attributeReadOnly("\(template.place(of: type)) \(rule.change.reason(inCopy: inCopy))")
            }
            changed.set(type, value)
        }
        return changed
    }

    /// - Throws: `CKR_ATTRIBUTE_TYPE_INVALID`.
    private func rule(
        for type: CK_ATTRIBUTE_TYPE, in template: Attributes, of object: Attributes? = nil
    ) throws(CKError) -> (AttributeRule, [UInt8]) {
        guard let rule = rules[type], let value = template[type] else {
            throw .attributeTypeInvalid(
                "\(template.place(of: type)) is not an attribute of \(description(of: object ?? template))")
        }
        return (rule, value)
    }

    /// The kind of object that has the attributes, for a reason.
    private func description(of attributes: Attributes) -> Reason {
        guard let objectClass = try? attributes.number(CKA_CLASS) else { return "an object without CKA_CLASS" }
        guard let keyType = try? attributes.number(CKA_KEY_TYPE) else { return "an object of \(class: objectClass)" }
        return "an object of \(class: objectClass), \(keyType: keyType)"
    }
}

extension AttributeRule.Change {
    /// Why a change is refused.
    fileprivate func reason(inCopy: Bool) -> Reason {
        switch self {
        case .never: "never changes"
        case .copy where !inCopy: "can be changed in a copy only"
        case .only(let value): value ? "can be set, and not be cleared" : "can be cleared, and not be set"
        case .officer: "can be changed by the SO only"
        case .copy, .always: "cannot be changed so"
        }
    }
}

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

    /// `CKA_CHECK_VALUE`.
    static let checkValue = AttributeRule(form: .bytes, presence: .computed, change: .never)

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
