// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import GOST

extension AttributeTable {
    /// The attributes of a new object: those of the template, and the defaults of the others.
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
