// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Tokens

/// The two templates of a key pair as an application passed them, completed with the defaults.
struct KeyPairTemplates {
    let kind: any KeyPairKind
    /// The attributes of the two halves, without the key's own numbers.
    private(set) var publicKey: Attributes
    private(set) var privateKey: Attributes

    /// - Throws: `CKR_TEMPLATE_INCONSISTENT`, `CKR_TEMPLATE_INCOMPLETE`, `CKR_ATTRIBUTE_TYPE_INVALID`,
    ///   `CKR_ATTRIBUTE_READ_ONLY`, `CKR_ATTRIBUTE_VALUE_INVALID`, `CKR_DOMAIN_PARAMS_INVALID`.
    init(_ publicTemplate: Attributes, _ privateTemplate: Attributes, kind: any KeyPairKind) throws(CKError) {
        self.kind = kind
        var (publicTemplate, privateTemplate) = (publicTemplate, privateTemplate)
        try kind.share(&publicTemplate, &privateTemplate)
        publicKey = try Self.attributes(publicTemplate, CKO_PUBLIC_KEY, kind)
        privateKey = try Self.attributes(privateTemplate, CKO_PRIVATE_KEY, kind)
        let parameters = try kind.parameters(publicTemplate, privateTemplate)
        publicKey.enter(parameters)
        privateKey.enter(parameters)
    }

    /// Whether one half is to live on the token.
    var isToken: Bool { publicKey[CKA_TOKEN] == [1] || privateKey[CKA_TOKEN] == [1] }

    /// Whether one half is visible to User only.
    var isPrivate: Bool { publicKey[CKA_PRIVATE] == [1] || privateKey[CKA_PRIVATE] == [1] }

    private static func attributes(
        _ template: Attributes, _ objectClass: CK_OBJECT_CLASS, _ kind: any KeyPairKind
    ) throws(CKError) -> Attributes {
        var template = template
        guard try template.number(CKA_CLASS) ?? objectClass == objectClass else {
            throw .templateInconsistent("\(template.place(of: CKA_CLASS)) is not \(class: objectClass)")
        }
        if let type = try template.number(CKA_KEY_TYPE), type != kind.type {
            throw AttributeTable.unknown(type, "a key that the mechanism makes")
        }
        template.set(CKA_CLASS, objectClass)
        template.set(CKA_KEY_TYPE, kind.type)
        // A template has the properties of the key, and not the key's own numbers.
        let isPublic = objectClass == CKO_PUBLIC_KEY
        let material = kind.material(isPublic: isPublic)
        var table = try AttributeTable(for: template)
        for type in material + [CKA_PUBLIC_KEY_INFO] { table.rules[type] = .readOnly(.bytes, []) }
        table.rules = table.rules.adding(kind.generationRules(isPublic: isPublic))
        var attributes = try table.attributes(from: template)
        attributes.set(CKA_LOCAL, true)
        attributes.set(CKA_KEY_GEN_MECHANISM, kind.generation)
        for type in material { attributes[type] = nil }
        guard !isPublic else { return attributes }
        try attributes.checkUse()
        let isExtractable = try attributes.bool(CKA_EXTRACTABLE) == true
        attributes.set(CKA_ALWAYS_SENSITIVE, try attributes.bool(CKA_SENSITIVE) == true)
        attributes.set(CKA_NEVER_EXTRACTABLE, !isExtractable)
        return attributes
    }
}
