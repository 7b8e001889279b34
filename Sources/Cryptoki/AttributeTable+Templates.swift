import CCryptoki
import GOST

extension AttributeTable {
    /// The attributes of a new object: what the template says, and the defaults for what it leaves out.
    ///
    /// - Throws: `CKR_ATTRIBUTE_TYPE_INVALID`, `CKR_ATTRIBUTE_READ_ONLY`, `CKR_ATTRIBUTE_VALUE_INVALID` or
    ///   `CKR_TEMPLATE_INCOMPLETE`.
    func attributes(from template: Attributes) throws(CKError) -> Attributes {
        for type in template.types {
            guard let rule = rules[type], let value = template[type] else { throw .attributeTypeInvalid }
            if case .readOnly = rule.presence { throw .attributeReadOnly }
            try rule.check(value)
        }
        for (type, rule) in rules where template[type] == nil && type != CKA_KEY_TYPE {
            if case .required = rule.presence { throw .templateIncomplete }
        }
        return completed(template)
    }

    /// The attributes, with the defaults for what is missing.
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
        for type in template.types {
            guard let rule = rules[type], let value = template[type] else { throw .attributeTypeInvalid }
            try rule.check(value)
            guard rule.allows(attributes[type], to: value, inCopy: inCopy, byOfficer: byOfficer) else {
                throw .attributeReadOnly
            }
            changed.set(type, value)
        }
        return changed
    }
}
