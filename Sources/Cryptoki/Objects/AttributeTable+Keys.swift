import CCryptoki
import GOST

/// The attributes of keys (PKCS #11 v2.40, 4.7 to 4.10; `CKA_DERIVE_TEMPLATE`, v3.0, 4.9 and 4.10).
extension AttributeTable {
    private static let key: Rules = [
        CKA_KEY_TYPE: .requiredNumber, CKA_ID: .bytes(), CKA_START_DATE: .date, CKA_END_DATE: .date,
        CKA_DERIVE: .bool(false), CKA_LOCAL: .readOnly(.bool, [0]),
        CKA_KEY_GEN_MECHANISM: .readOnly(.number, CK_ULONG.unavailable.bytes),
        CKA_ALLOWED_MECHANISMS: AttributeRule(form: .numbers, presence: .optional([]), change: .never),
    ]

    private static let gost: Rules = [
        CKA_GOSTR3410_PARAMS: .required, CKA_GOSTR3411_PARAMS: .bytes([], .never),
        CKA_GOST28147_PARAMS: .bytes([], .never),
    ]

    /// Whether a key pair signs the journal of the token that it lives on.
    private static let journal = AttributeRule.bool(false, .never)

    /// The attributes that protect a key and cannot be reset.
    private static let sensitive: Rules = [
        CKA_ALWAYS_SENSITIVE: .readOnly(.bool, [0]), CKA_NEVER_EXTRACTABLE: .readOnly(.bool, [0]),
        CKA_WRAP_WITH_TRUSTED: .bool(false, .only(true)),
    ]

    private static func unknown(_ type: CK_KEY_TYPE, _ key: StaticString) -> CKError {
        .templateInconsistent("CKA_KEY_TYPE is \(keyType: type), which \(key) cannot have here")
    }

    static func publicKey(_ type: CK_KEY_TYPE) throws(CKError) -> Rules {
        guard let type = KeyType(type) else { throw unknown(type, "a key pair") }
        let isRSA = type == .rsa
        let common: Rules = [
            CKA_SUBJECT: .bytes(), CKA_PUBLIC_KEY_INFO: .bytes([], .never), CKA_ENCRYPT: .bool(isRSA),
            CKA_VERIFY: .bool(true),
            CKA_VERIFY_RECOVER: .bool(isRSA), CKA_WRAP: .bool(isRSA), CKA_TRUSTED: .trusted,
            CKA_WRAP_TEMPLATE: .template,
        ]
        let own: Rules =
            switch type {
            case .gostR3410, .gostR3410With512Bits:
                gost.adding([CKA_VALUE: .required, CKA_VENDOR_KEY_JOURNAL: journal])
            case .rsa:
                [CKA_MODULUS: .required, CKA_PUBLIC_EXPONENT: .required, CKA_MODULUS_BITS: .readOnly(.number, [])]
            case .ec: [CKA_EC_PARAMS: .required, CKA_EC_POINT: .required]
            }
        return key.adding(common).adding(own)
    }

    static func privateKey(_ type: CK_KEY_TYPE) throws(CKError) -> Rules {
        guard let type = KeyType(type) else { throw unknown(type, "a key pair") }
        let isRSA = type == .rsa
        let common: Rules = [
            CKA_PRIVATE: .bool(true, .copy), CKA_SUBJECT: .bytes(), CKA_PUBLIC_KEY_INFO: .bytes([], .never),
            CKA_SENSITIVE: .bool(true, .only(true)),
            CKA_EXTRACTABLE: .bool(false, .only(false)), CKA_DECRYPT: .bool(isRSA), CKA_SIGN: .bool(true),
            CKA_SIGN_RECOVER: .bool(isRSA), CKA_UNWRAP: .bool(isRSA), CKA_UNWRAP_TEMPLATE: .template,
            CKA_DERIVE_TEMPLATE: .template, CKA_ALWAYS_AUTHENTICATE: .bool(false, .never),
            CKA_VENDOR_KEY_PIN_ENTER: .bool(false, .never), CKA_VENDOR_KEY_CONFIRM_OP: .bool(false, .never),
            CKA_VENDOR_CONFIRM_BY_TOUCH: .bool(false, .never),
        ]
        let own: Rules =
            switch type {
            case .gostR3410, .gostR3410With512Bits:
                gost.adding([CKA_VALUE: .required, CKA_VENDOR_KEY_JOURNAL: journal])
            case .rsa:
                [
                    CKA_MODULUS: .required, CKA_PUBLIC_EXPONENT: .required, CKA_PRIVATE_EXPONENT: .required,
                    CKA_PRIME_1: .bytes([], .never), CKA_PRIME_2: .bytes([], .never),
                    CKA_EXPONENT_1: .bytes([], .never), CKA_EXPONENT_2: .bytes([], .never),
                    CKA_COEFFICIENT: .bytes([], .never),
                ]
            case .ec: [CKA_EC_PARAMS: .required, CKA_VALUE: .required]
            }
        return key.adding(sensitive).adding(common).adding(own)
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
                CKA_CHECK_VALUE: AttributeRule(form: .bytes, presence: .computed, change: .never),
            ])
    }

    /// The public exponent of a key pair whose template names none.
    static let defaultPublicExponent: [UInt8] = [1, 0, 1]

    /// The table for one half of a key pair that a mechanism makes. Its template describes the key and has none of its
    /// values.
    init(generating half: Attributes, _ keyType: KeyType) throws(CKError) {
        try self.init(for: half)
        let isPublic = try half.number(CKA_CLASS) == CKO_PUBLIC_KEY
        for type in keyType.materialAttributes(isPublic ? CKO_PUBLIC_KEY : CKO_PRIVATE_KEY) {
            rules[type] = .readOnly(.bytes, [])
        }
        switch keyType {
        case .gostR3410, .gostR3410With512Bits: rules[CKA_GOSTR3410_PARAMS] = .bytes([], .never)
        case .rsa where isPublic:
            rules[CKA_PUBLIC_EXPONENT] = .bytes(Self.defaultPublicExponent, .never)
            rules[CKA_MODULUS_BITS] = .requiredNumber
        case .ec where !isPublic: rules[CKA_EC_PARAMS] = .bytes([], .never)
        case .rsa, .ec: break
        }
    }
}
