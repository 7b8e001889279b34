public import CCryptoki
import GOST
import Token

extension Session {
    /// Makes a key pair: on the token if either half shall live there, else in this process.
    ///
    /// - Returns: The handles of the public and the private key.
    public func generateKeyPair(
        _ mechanism: Mechanism, publicTemplate: Attributes, privateTemplate: Attributes
    ) throws(CKError) -> (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) {
        let definition = try MechanismDefinition.find(mechanism.type)
        guard case .keyPairGeneration(let keyType) = definition.work else { throw .mechanismInvalid }
        try definition.checkParameter(mechanism.parameter)
        let publicKey = try KeyTemplate(publicTemplate, class: CKO_PUBLIC_KEY, keyType: keyType)
        let privateKey = try KeyTemplate(privateTemplate, class: CKO_PRIVATE_KEY, keyType: keyType)
        let parameters = try KeyParameters(publicTemplate, privateTemplate, keyType: keyType)
        guard publicKey.isToken == privateKey.isToken else { throw .templateInconsistent }
        if publicKey.isToken {
            guard isReadWrite else { throw .sessionReadOnly }
            guard slot.login == .user else { throw .userNotLoggedIn }
            return try generateOnToken(publicKey, privateKey, parameters)
        }
        guard slot.login == .user || !(publicKey.isPrivate || privateKey.isPrivate) else { throw .userNotLoggedIn }
        return try generateInSession(publicKey, privateKey, parameters)
    }

    private func generateOnToken(
        _ publicKey: KeyTemplate, _ privateKey: KeyTemplate, _ parameters: KeyParameters
    ) throws(CKError) -> (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) {
        // The vendor's format knows public keys that everyone sees and private keys that only User sees.
        guard !publicKey.isPrivate, privateKey.isPrivate else { throw .templateInconsistent }
        guard let algorithm = KeyAlgorithm(curve: parameters.curve) else { throw .domainParametersInvalid }
        let template = KeyPairTemplate(
            algorithm: algorithm, gostR3411Parameters: parameters.gostR3411,
            gost28147Parameters: parameters.gost28147, canDerive: privateKey.canDerive,
            publicKey: .init(label: publicKey.label, id: publicKey.id),
            privateKey: .init(label: privateKey.label, id: privateKey.id))
        let keys = try slot.withToken { token throws(TokenError) in try token.generateKeyPair(template) }
        return (
            slot.objects.insert(try Object(.key(keys.0))), slot.objects.insert(try Object(.key(keys.1)))
        )
    }

    private func generateInSession(
        _ publicTemplate: KeyTemplate, _ privateTemplate: KeyTemplate, _ parameters: KeyParameters
    ) throws(CKError) -> (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) {
        do {
            let key = try PrivateKey.generate(on: parameters.curve, random: slot.settings.random)
            let publicKey = try key.publicKey()
            let publicObject = Object(publicKey: publicKey, publicTemplate, parameters, session: handle)
            let privateObject = Object(
                privateKey: SessionKey(key), privateTemplate, parameters, session: handle)
            return (slot.objects.insert(publicObject), slot.objects.insert(privateObject))
        } catch {
            throw CKError(error)
        }
    }
}

extension KeyTemplate {
    /// Attributes that only the library sets.
    private static let readOnly: [CK_ATTRIBUTE_TYPE] = [
        CKA_VALUE, CKA_LOCAL, CKA_KEY_GEN_MECHANISM, CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE,
    ]

    /// Attributes that are fixed: asking for the value that they have is right, asking for another is not.
    private static let fixed: [CK_ATTRIBUTE_TYPE: Bool] = [
        CKA_MODIFIABLE: true, CKA_COPYABLE: true, CKA_SENSITIVE: true, CKA_EXTRACTABLE: false,
        CKA_ALWAYS_AUTHENTICATE: false, CKA_WRAP_WITH_TRUSTED: false, CKA_TRUSTED: false,
        CKA_SIGN_RECOVER: false, CKA_VERIFY_RECOVER: false,
    ]

    /// Permissions for operations that these keys have no mechanism for. Applications ask for them all the same.
    private static let unused: [CK_ATTRIBUTE_TYPE] = [CKA_ENCRYPT, CKA_DECRYPT, CKA_WRAP, CKA_UNWRAP]

    private static let known: Set<CK_ATTRIBUTE_TYPE> = [
        CKA_CLASS, CKA_KEY_TYPE, CKA_TOKEN, CKA_PRIVATE, CKA_LABEL, CKA_ID, CKA_SIGN, CKA_VERIFY, CKA_DERIVE,
        CKA_GOSTR3410_PARAMS, CKA_GOSTR3411_PARAMS, CKA_GOST28147_PARAMS,
    ]

    /// Session keys keep these as they come; the vendor's format has no place for them on a token.
    private static let kept: Set<CK_ATTRIBUTE_TYPE> = [CKA_START_DATE, CKA_END_DATE, CKA_SUBJECT]

    /// Reads one of the two templates of a key pair.
    init(_ template: Attributes, class objectClass: CK_OBJECT_CLASS, keyType: KeyType) throws(CKError) {
        guard try template.number(CKA_CLASS) ?? objectClass == objectClass,
            try template.number(CKA_KEY_TYPE) ?? keyType.rawValue == keyType.rawValue
        else { throw .templateInconsistent }
        let isPublic = objectClass == CKO_PUBLIC_KEY
        other = Attributes()
        isToken = try template.bool(CKA_TOKEN) ?? false
        isPrivate = try template.bool(CKA_PRIVATE) ?? !isPublic
        label = template[CKA_LABEL] ?? []
        id = template[CKA_ID] ?? []
        canSignOrVerify = try template.bool(isPublic ? CKA_VERIFY : CKA_SIGN) ?? true
        canDerive = try template.bool(CKA_DERIVE) ?? false
        for type in template.types {
            try check(type, in: template)
        }
    }

    private mutating func check(_ type: CK_ATTRIBUTE_TYPE, in template: Attributes) throws(CKError) {
        if Self.known.contains(type) { return }
        if Self.readOnly.contains(type) { throw .attributeReadOnly }
        if let value = Self.fixed[type] {
            guard try template.bool(type) == value else { throw .templateInconsistent }
        } else if Self.unused.contains(type) {
            _ = try template.bool(type)
        } else if Self.kept.contains(type) {
            guard !isToken || template[type]?.isEmpty == true else { throw .templateInconsistent }
            other[type] = template[type]
        } else {
            throw .attributeTypeInvalid
        }
    }
}

extension KeyParameters {
    /// GOST 28147-89 with the parameter set Z, which the vendor's library enters too.
    private static let tc26Z: [UInt8] = [0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x05, 0x01, 0x01]

    /// The parameter sets of a new key pair. Applications put them into either template, or into both.
    init(_ publicTemplate: Attributes, _ privateTemplate: Attributes, keyType: KeyType) throws(CKError) {
        func parameter(_ type: CK_ATTRIBUTE_TYPE) throws(CKError) -> [UInt8]? {
            if let one = publicTemplate[type], let other = privateTemplate[type], one != other {
                throw .templateInconsistent
            }
            return publicTemplate[type] ?? privateTemplate[type]
        }
        let is512 = keyType == .gostR3410With512Bits
        gostR3410 = try parameter(CKA_GOSTR3410_PARAMS) ?? (is512 ? Curve.tc26512A : Curve.cryptoProA).oid
        gostR3411 = try parameter(CKA_GOSTR3411_PARAMS) ?? (is512 ? HashAlgorithm.streebog512 : .streebog256).oid
        gost28147 = try parameter(CKA_GOST28147_PARAMS) ?? Self.tc26Z
        guard let curve = Curve(oid: gostR3410), KeyType(curve) == keyType else { throw .domainParametersInvalid }
        self.curve = curve
        let hashes: [HashAlgorithm] = is512 ? [.streebog512] : [.gostR341194, .streebog256]
        guard hashes.contains(where: { $0.oid == gostR3411 }) else { throw .domainParametersInvalid }
    }
}
