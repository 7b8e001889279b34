import CCryptoki
import GOST

/// What an application asked for in the two templates of a key pair, and what it gets: with the defaults for what it left
/// out.
struct KeyPairTemplates {
    let keyType: KeyType
    /// The attributes of the two halves, but for what makes up the key.
    private(set) var publicKey: Attributes
    private(set) var privateKey: Attributes

    /// - Throws: `CKR_TEMPLATE_INCONSISTENT`, `CKR_TEMPLATE_INCOMPLETE`, `CKR_ATTRIBUTE_TYPE_INVALID`,
    ///   `CKR_ATTRIBUTE_READ_ONLY`, `CKR_ATTRIBUTE_VALUE_INVALID`, `CKR_DOMAIN_PARAMS_INVALID`.
    init(_ publicTemplate: Attributes, _ privateTemplate: Attributes, keyType: KeyType) throws(CKError) {
        self.keyType = keyType
        var (publicTemplate, privateTemplate) = (publicTemplate, privateTemplate)
        try publicTemplate.share(with: &privateTemplate, keyType)
        publicKey = try Self.attributes(publicTemplate, CKO_PUBLIC_KEY, keyType)
        privateKey = try Self.attributes(privateTemplate, CKO_PRIVATE_KEY, keyType)
        switch keyType {
        case .gostR3410, .gostR3410With512Bits:
            let parameters = try KeyParameters(publicTemplate, privateTemplate, keyType: keyType)
            publicKey.set(parameters)
            privateKey.set(parameters)
        case .rsa: break
        case .ec:
            if let other = privateTemplate[CKA_EC_PARAMS] {
                guard other == publicKey[CKA_EC_PARAMS] else {
                    throw .templateInconsistent(
                        "\(privateTemplate.place(of: CKA_EC_PARAMS)) is not that of the public key")
                }
            }
            privateKey[CKA_EC_PARAMS] = publicKey[CKA_EC_PARAMS]
        }
    }

    /// Whether one half shall live on the token.
    var isToken: Bool { publicKey[CKA_TOKEN] == [1] || privateKey[CKA_TOKEN] == [1] }

    /// Whether one half shall be seen by User only.
    var isPrivate: Bool { publicKey[CKA_PRIVATE] == [1] || privateKey[CKA_PRIVATE] == [1] }

    private static func attributes(
        _ template: Attributes, _ objectClass: CK_OBJECT_CLASS, _ keyType: KeyType
    ) throws(CKError) -> Attributes {
        var template = template
        guard try template.number(CKA_CLASS) ?? objectClass == objectClass else {
            throw .templateInconsistent("\(template.place(of: CKA_CLASS)) is not \(class: objectClass)")
        }
        guard try template.number(CKA_KEY_TYPE) ?? keyType.rawValue == keyType.rawValue else {
            throw .templateInconsistent("\(template.place(of: CKA_KEY_TYPE)) is not \(keyType: keyType.rawValue)")
        }
        template.set(CKA_CLASS, objectClass)
        template.set(CKA_KEY_TYPE, keyType.rawValue)
        var attributes = try AttributeTable(generating: template, keyType).attributes(from: template)
        attributes.set(CKA_LOCAL, true)
        attributes.set(CKA_KEY_GEN_MECHANISM, keyType.keyPairGeneration)
        for type in keyType.materialAttributes(objectClass) { attributes[type] = nil }
        guard objectClass == CKO_PRIVATE_KEY else { return attributes }
        try attributes.checkUse()
        let isExtractable = try attributes.bool(CKA_EXTRACTABLE) == true
        attributes.set(CKA_ALWAYS_SENSITIVE, try attributes.bool(CKA_SENSITIVE) == true)
        attributes.set(CKA_NEVER_EXTRACTABLE, !isExtractable)
        return attributes
    }
}

extension Attributes {
    /// What is said in the template of one half, and holds for the pair: either can say that it signs the journal, and the
    /// private one can repeat the public exponent.
    ///
    /// - Throws: `CKR_TEMPLATE_INCONSISTENT` where the two differ.
    fileprivate mutating func share(with privateHalf: inout Attributes, _ keyType: KeyType) throws(CKError) {
        switch keyType {
        case .gostR3410, .gostR3410With512Bits:
            let own = self[CKA_VENDOR_KEY_JOURNAL]
            let signsJournal = privateHalf[CKA_VENDOR_KEY_JOURNAL] ?? own
            guard own == nil || own == signsJournal else {
                throw .templateInconsistent("the templates differ in CKA_VENDOR_KEY_JOURNAL")
            }
            self[CKA_VENDOR_KEY_JOURNAL] = signsJournal
            privateHalf[CKA_VENDOR_KEY_JOURNAL] = signsJournal
        case .rsa:
            guard let repeated = privateHalf[CKA_PUBLIC_EXPONENT] else { return }
            let exponent = self[CKA_PUBLIC_EXPONENT] ?? AttributeTable.defaultPublicExponent
            guard repeated.drop(while: { $0 == 0 }).elementsEqual(exponent.drop { $0 == 0 }) else {
                throw .templateInconsistent("the private template has another CKA_PUBLIC_EXPONENT")
            }
            privateHalf[CKA_PUBLIC_EXPONENT] = nil
        case .ec: break
        }
    }
}

/// The parameter sets of a key of GOST R 34.10: a curve, and what the three parameter attributes hold.
struct KeyParameters {
    var curve: Curve
    var gostR3410: [UInt8]
    var gostR3411: [UInt8]
    var gost28147: [UInt8]

    var keyType: KeyType { KeyType(curve) }
}

extension KeyParameters {
    /// The parameter sets of a new key pair. Applications put them into either template, or into both. What they leave out
    /// is the first set of the standard, and for GOST 28147-89 the set Z, which the vendor's library enters too.
    init(_ publicTemplate: Attributes, _ privateTemplate: Attributes, keyType: KeyType) throws(CKError) {
        func parameter(_ type: CK_ATTRIBUTE_TYPE) throws(CKError) -> [UInt8]? {
            if let one = publicTemplate[type], let other = privateTemplate[type], one != other {
                throw .templateInconsistent(
                    "\(privateTemplate.place(of: type)) is not that of the public key")
            }
            return publicTemplate[type] ?? privateTemplate[type]
        }
        let is512 = keyType == .gostR3410With512Bits
        gostR3410 = try parameter(CKA_GOSTR3410_PARAMS) ?? (is512 ? Curve.tc26512A : Curve.cryptoProA).oid
        gostR3411 = try parameter(CKA_GOSTR3411_PARAMS) ?? (is512 ? HashAlgorithm.streebog512 : .streebog256).oid
        gost28147 = try parameter(CKA_GOST28147_PARAMS) ?? SBox.tc26Z.oid
        guard let curve = Curve(oid: gostR3410), KeyType(curve) == keyType else {
            throw .domainParametersInvalid(
                "CKA_GOSTR3410_PARAMS names no curve of keys of \(keyType: keyType.rawValue)")
        }
        self.curve = curve
        let hashes: [HashAlgorithm] = is512 ? [.streebog512] : [.gostR341194, .streebog256]
        guard hashes.contains(where: { $0.oid == gostR3411 }) else {
            throw .domainParametersInvalid(
                "CKA_GOSTR3411_PARAMS names no hash function of keys of \(keyType: keyType.rawValue)")
        }
    }
}

extension Attributes {
    mutating func set(_ parameters: KeyParameters) {
        set(CKA_KEY_TYPE, parameters.keyType.rawValue)
        set(CKA_GOSTR3410_PARAMS, parameters.gostR3410)
        set(CKA_GOSTR3411_PARAMS, parameters.gostR3411)
        set(CKA_GOST28147_PARAMS, parameters.gost28147)
    }
}
