import CCryptoki
import GOST

/// The attributes of objects of one class and type, and what holds for each (PKCS #11 v2.40, 4; GOST, 2.40 current
/// mechanisms, 2.22 to 2.24).
struct AttributeTable: Sendable {
    typealias Rules = [CK_ATTRIBUTE_TYPE: AttributeRule]

    private(set) var rules: Rules

    /// The table for the object that a template describes, or that has these attributes.
    ///
    /// - Throws: `CKR_TEMPLATE_INCOMPLETE` without a class or a key's type, `CKR_ATTRIBUTE_VALUE_INVALID` for one that
    ///   nobody knows, `CKR_TEMPLATE_INCONSISTENT` for a type that the class does not have here.
    init(for attributes: Attributes) throws(CKError) {
        guard let objectClass = try attributes.number(CKA_CLASS) else { throw .templateIncomplete }
        switch objectClass {
        case CKO_DATA: rules = Self.data
        case CKO_CERTIFICATE:
            guard try attributes.number(CKA_CERTIFICATE_TYPE) ?? CKC_X_509 == CKC_X_509 else {
                throw .templateInconsistent
            }
            rules = Self.certificate
        case CKO_PUBLIC_KEY: rules = try Self.publicKey(attributes.keyType())
        case CKO_PRIVATE_KEY: rules = try Self.privateKey(attributes.keyType())
        case CKO_SECRET_KEY: rules = try Self.secretKey(attributes.keyType())
        default: throw .attributeValueInvalid
        }
        rules.merge(Self.storage) { own, _ in own }
    }

    subscript(type: CK_ATTRIBUTE_TYPE) -> AttributeRule? { rules[type] }

    // MARK: Classes

    private static let storage: Rules = [
        CKA_CLASS: .requiredNumber, CKA_TOKEN: .bool(false, .copy), CKA_PRIVATE: .bool(false, .copy),
        CKA_MODIFIABLE: .bool(true, .copy), CKA_LABEL: .bytes(), CKA_COPYABLE: .bool(true, .only(false)),
        CKA_DESTROYABLE: .bool(true, .copy),
    ]

    private static let data: Rules = [CKA_APPLICATION: .bytes(), CKA_OBJECT_ID: .bytes(), CKA_VALUE: .bytes()]

    /// The vendor's programs leave out type and subject.
    private static let certificate: Rules = [
        CKA_CERTIFICATE_TYPE: .number(CKC_X_509), CKA_TRUSTED: .readOnly(.bool, [0]),
        CKA_CERTIFICATE_CATEGORY: .number(0), CKA_CHECK_VALUE: .bytes([], .never), CKA_START_DATE: .date,
        CKA_END_DATE: .date, CKA_SUBJECT: .bytes([], .never), CKA_ID: .bytes(), CKA_ISSUER: .bytes(),
        CKA_SERIAL_NUMBER: .bytes(), CKA_VALUE: .required, CKA_URL: .bytes([], .never),
        CKA_HASH_OF_SUBJECT_PUBLIC_KEY: .bytes([], .never), CKA_HASH_OF_ISSUER_PUBLIC_KEY: .bytes([], .never),
        CKA_JAVA_MIDP_SECURITY_DOMAIN: .number(0), CKA_NAME_HASH_ALGORITHM: .number(CKM_SHA_1),
    ]

    private static let key: Rules = [
        CKA_KEY_TYPE: .requiredNumber, CKA_ID: .bytes(), CKA_START_DATE: .date, CKA_END_DATE: .date,
        CKA_DERIVE: .bool(false), CKA_LOCAL: .readOnly(.bool, [0]),
        CKA_KEY_GEN_MECHANISM: .readOnly(.number, CK_ULONG.unavailable.bytes),
    ]

    private static let gost: Rules = [
        CKA_GOSTR3410_PARAMS: .required, CKA_GOSTR3411_PARAMS: .bytes([], .never),
        CKA_GOST28147_PARAMS: .bytes([], .never),
    ]

    /// What nobody can undo to learn or let out a key.
    private static let sensitive: Rules = [
        CKA_ALWAYS_SENSITIVE: .readOnly(.bool, [0]), CKA_NEVER_EXTRACTABLE: .readOnly(.bool, [0]),
        CKA_WRAP_WITH_TRUSTED: .bool(false, .only(true)),
    ]

    private static func publicKey(_ type: CK_KEY_TYPE) throws(CKError) -> Rules {
        let isRSA = type == CKK_RSA
        let common: Rules = [
            CKA_SUBJECT: .bytes(), CKA_ENCRYPT: .bool(isRSA), CKA_VERIFY: .bool(true),
            CKA_VERIFY_RECOVER: .bool(false), CKA_WRAP: .bool(false), CKA_TRUSTED: .readOnly(.bool, [0]),
        ]
        let own: Rules
        switch type {
        case CKK_GOSTR3410, CKK_GOSTR3410_512: own = gost.adding([CKA_VALUE: .required])
        case CKK_RSA:
            own = [
                CKA_MODULUS: .required, CKA_PUBLIC_EXPONENT: .required, CKA_MODULUS_BITS: .readOnly(.number, []),
            ]
        case CKK_EC: own = [CKA_EC_PARAMS: .required, CKA_EC_POINT: .required]
        default: throw .templateInconsistent
        }
        return key.adding(common).adding(own)
    }

    private static func privateKey(_ type: CK_KEY_TYPE) throws(CKError) -> Rules {
        guard KeyType(type) != nil else { throw .templateInconsistent }
        return key.adding(gost).adding(sensitive).adding([
            CKA_PRIVATE: .bool(true, .copy), CKA_VALUE: .required, CKA_SUBJECT: .bytes(),
            CKA_SENSITIVE: .bool(true, .only(true)), CKA_EXTRACTABLE: .bool(false, .only(false)),
            CKA_DECRYPT: .bool(false), CKA_SIGN: .bool(true), CKA_SIGN_RECOVER: .bool(false),
            CKA_UNWRAP: .bool(false), CKA_ALWAYS_AUTHENTICATE: .bool(false, .never),
        ])
    }

    private static func secretKey(_ type: CK_KEY_TYPE) throws(CKError) -> Rules {
        guard let type = SecretKeyType(type) else { throw .templateInconsistent }
        let parameters: Rules = type == .gost28147 ? [CKA_GOST28147_PARAMS: .bytes(SBox.tc26Z.oid, .never)] : [:]
        let permissions = [CKA_ENCRYPT, CKA_DECRYPT, CKA_SIGN, CKA_VERIFY, CKA_WRAP, CKA_UNWRAP, CKA_DERIVE]
        return key.adding(sensitive).adding(parameters)
            .adding(Rules(uniqueKeysWithValues: permissions.map { ($0, .bool(true)) }))
            .adding([
                CKA_PRIVATE: .bool(true, .copy), CKA_VALUE: .required, CKA_VALUE_LEN: .readOnly(.number, []),
                CKA_SENSITIVE: .bool(false, .only(true)), CKA_EXTRACTABLE: .bool(true, .only(false)),
                CKA_TRUSTED: .readOnly(.bool, [0]),
            ])
    }
}

extension AttributeTable.Rules {
    /// The rules of both; where both have one, that of `other`.
    fileprivate func adding(_ other: AttributeTable.Rules) -> AttributeTable.Rules { merging(other) { $1 } }
}

extension Attributes {
    /// The type of a key. That of a GOST key follows from its curve, so that templates may leave it out.
    fileprivate func keyType() throws(CKError) -> CK_KEY_TYPE {
        if let type = try number(CKA_KEY_TYPE) { return type }
        guard let oid = self[CKA_GOSTR3410_PARAMS], let curve = Curve(oid: oid) else { throw .templateIncomplete }
        return KeyType(curve).rawValue
    }
}
