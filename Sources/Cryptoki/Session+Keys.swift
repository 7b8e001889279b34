public import CCryptoki
import GOST
import HostCrypto
import Secrets
import Token

extension Session {
    /// Makes a key pair: on the token if it shall live there, else in this process.
    ///
    /// - Returns: The handles of the public and the private key.
    public func generateKeyPair(
        _ mechanism: Mechanism, publicTemplate: Attributes, privateTemplate: Attributes
    ) throws(CKError) -> (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) {
        let definition = try MechanismDefinition.find(mechanism.type)
        guard case .keyPairGeneration(let keyType) = definition.work else { throw .mechanismInvalid }
        try definition.checkParameter(mechanism.parameter)
        let templates = try KeyPairTemplates(publicTemplate, privateTemplate, keyType: keyType)
        guard isReadWrite || !templates.isToken else { throw .sessionReadOnly }
        guard slot.login == .user || !(templates.isToken || templates.isPrivate) else { throw .userNotLoggedIn }
        let objects = try templates.isToken ? generateOnToken(templates) : generateInSession(templates)
        return (slot.objects.insert(objects.0), slot.objects.insert(objects.1))
    }

    /// A private key of the token is private and never leaves it. Whatever else is asked for, the token keeps.
    private func generateOnToken(_ templates: KeyPairTemplates) throws(CKError) -> (Object, Object) {
        let privateKey = templates.privateKey
        guard privateKey[CKA_PRIVATE] == [1], privateKey[CKA_SENSITIVE] == [1], privateKey[CKA_EXTRACTABLE] == [0],
            privateKey[CKA_ALWAYS_AUTHENTICATE] == [0]
        else { throw .templateInconsistent }
        switch templates.keyType {
        case .gostR3410, .gostR3410With512Bits:
            var template = try KeyPairTemplate(templates)
            template.publicKey.annotation = try TokenItem.key(TokenKey(template, .publicKey))
                .annotation(keeping: templates.publicKey)
            template.privateKey.annotation = try TokenItem.key(TokenKey(template, .privateKey))
                .annotation(keeping: privateKey)
            let keys = try slot.withToken { token throws(TokenError) in try token.generateKeyPair(template) }
            return (try Object(.key(keys.0)), try Object(.key(keys.1)))
        case .rsa, .ec: throw .templateInconsistent
        }
    }

    private func generateInSession(_ templates: KeyPairTemplates) throws(CKError) -> (Object, Object) {
        let key = try SessionKey(generating: templates, random: slot.settings.random)
        var publicKey = templates.publicKey
        var privateKey = templates.privateKey
        let values = try key.publicValues()
        // The private half of some keys has the public numbers, too.
        let table = try AttributeTable(for: privateKey)
        for type in values.types {
            publicKey[type] = values[type]
            if table[type] != nil, !templates.keyType.secretAttributes.contains(type) {
                privateKey[type] = values[type]
            }
        }
        return (
            Object(home: .session(handle, nil), attributes: publicKey, isPrivate: publicKey[CKA_PRIVATE] == [1]),
            Object(home: .session(handle, key), attributes: privateKey, isPrivate: privateKey[CKA_PRIVATE] == [1])
        )
    }
}

extension TokenItem {
    /// What a token has to keep of a key that it makes, beyond what the item says of it.
    fileprivate func annotation(keeping attributes: Attributes) throws(CKError) -> ObjectAnnotation {
        var item = self
        try item.take(attributes)
        let isPublic = attributes[CKA_CLASS] == CKO_PUBLIC_KEY.bytes
        return ObjectAnnotation(isPrivate: isPublic && attributes[CKA_PRIVATE] == [1], attributes: item.kept)
    }
}

extension SessionKey {
    /// Makes a key pair in this process.
    fileprivate convenience init(
        generating templates: KeyPairTemplates, random: any RandomSource
    ) throws(CKError) {
        let attributes = templates.publicKey
        switch templates.keyType {
        case .gostR3410, .gostR3410With512Bits:
            guard let curve = attributes[CKA_GOSTR3410_PARAMS].flatMap({ Curve(oid: $0) }) else {
                throw .domainParametersInvalid
            }
            do throws(GOSTError) {
                let key = try PrivateKey.generate(on: curve, random: random)
                self.init(key)
            } catch {
                throw CKError(error)
            }
        case .rsa:
            let bits = try attributes.number(CKA_MODULUS_BITS).map { Int(clamping: $0) } ?? 0
            do throws(HostCryptoError) {
                let key = try RSAPrivateKey(
                    generating: bits, publicExponent: attributes[CKA_PUBLIC_EXPONENT] ?? [])
                self.init(key)
            } catch {
                throw error == .invalidParameter ? .attributeValueInvalid : CKError(error)
            }
        case .ec:
            let curve = try attributes.ecCurve()
            do throws(HostCryptoError) {
                let key = try ECPrivateKey.generate(on: curve, random: random)
                self.init(key)
            } catch {
                throw CKError(error)
            }
        }
    }
}

extension KeyPairTemplate {
    /// The GOST key pair that the templates ask the token for.
    fileprivate init(_ templates: KeyPairTemplates) throws(CKError) {
        let (publicKey, privateKey) = (templates.publicKey, templates.privateKey)
        guard let curve = publicKey[CKA_GOSTR3410_PARAMS].flatMap({ Curve(oid: $0) }),
            let algorithm = KeyAlgorithm(curve: curve)
        else { throw .domainParametersInvalid }
        self.init(
            algorithm: algorithm, gostR3411Parameters: publicKey[CKA_GOSTR3411_PARAMS] ?? [],
            gost28147Parameters: publicKey[CKA_GOST28147_PARAMS] ?? [],
            canDerive: privateKey[CKA_DERIVE] == [1], publicKey: publicKey.half, privateKey: privateKey.half)
    }
}

extension Attributes {
    /// What the record of a key on the token holds.
    var half: KeyPairTemplate.Half { .init(label: self[CKA_LABEL] ?? [], id: self[CKA_ID] ?? []) }
}
