// SPDX-License-Identifier: Apache-2.0
import CCryptoki

/// The attributes of objects of one class and type, and the rule for each (PKCS #11 v2.40, 4; `CKA_UNIQUE_ID`, v3.0,
/// 4.4; GOST, 2.40 current mechanisms, 2.22 to 2.24).
struct AttributeTable: Sendable {
    typealias Rules = [CK_ATTRIBUTE_TYPE: AttributeRule]

    var rules: Rules

    /// The table for the object that a template describes, or that has these attributes.
    ///
    /// - Throws: `CKR_TEMPLATE_INCOMPLETE` without a class or a key's type, `CKR_ATTRIBUTE_VALUE_INVALID` for an
    ///   unknown one, `CKR_TEMPLATE_INCONSISTENT` for a type that the class does not have here.
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
        case CKO_SECRET_KEY: rules = try Self.secretKey(attributes.keyType())
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
        CKA_CERTIFICATE_CATEGORY: .number(0), CKA_CHECK_VALUE: .bytes([], .never),
        CKA_PUBLIC_KEY_INFO: .bytes([], .never), CKA_START_DATE: .date,
        CKA_END_DATE: .date, CKA_SUBJECT: .bytes([], .never), CKA_ID: .bytes(), CKA_ISSUER: .bytes(),
        CKA_SERIAL_NUMBER: .bytes(), CKA_VALUE: .required, CKA_URL: .bytes([], .never),
        CKA_HASH_OF_SUBJECT_PUBLIC_KEY: .bytes([], .never), CKA_HASH_OF_ISSUER_PUBLIC_KEY: .bytes([], .never),
        CKA_JAVA_MIDP_SECURITY_DOMAIN: .number(0), CKA_NAME_HASH_ALGORITHM: .number(CKM_SHA_1),
    ]
}

extension AttributeTable.Rules {
    /// The rules of both; where both have one, that of `other`.
    func adding(_ other: AttributeTable.Rules) -> AttributeTable.Rules { merging(other) { $1 } }
}

extension Attributes {
    /// The type of a key. Templates may leave out a GOST key's type, which follows from its curve.
    fileprivate func keyType() throws(CKError) -> CK_KEY_TYPE {
        if let type = try number(CKA_KEY_TYPE) { return type }
        guard let gostCurve else {
            throw .templateIncomplete("CKA_KEY_TYPE is missing, and no CKA_GOSTR3410_PARAMS tell it")
        }
        return KeyType(gostCurve).rawValue
    }

    /// The kind of a key pair's half, by its type.
    func keyPairKind() throws(CKError) -> any KeyPairKind {
        let type = try keyType()
        guard let known = KeyType(type) else { throw AttributeTable.unknown(type, "a key pair") }
        return known.kind
    }
}
