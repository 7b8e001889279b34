// SPDX-License-Identifier: Apache-2.0
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

    /// Attributes that cannot be set back, to learn or export a key.
    private static let sensitive: Rules = [
        CKA_ALWAYS_SENSITIVE: .readOnly(.bool, [0]), CKA_NEVER_EXTRACTABLE: .readOnly(.bool, [0]),
        CKA_WRAP_WITH_TRUSTED: .bool(false, .only(true)),
    ]

    static func unknown(_ type: CK_KEY_TYPE, _ key: StaticString) -> CKError {
        .templateInconsistent("CKA_KEY_TYPE is \(keyType: type), which \(key) cannot have here")
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
                CKA_CHECK_VALUE: AttributeRule(form: .bytes, presence: .computed, change: .never),
            ])
    }
}
