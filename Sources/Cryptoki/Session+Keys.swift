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

    private func generateOnToken(_ templates: KeyPairTemplates) throws(CKError) -> (Object, Object) {
        switch templates.keyType {
        case .gostR3410, .gostR3410With512Bits:
            let template = try KeyPairTemplate(templates)
            let planned = (TokenKey(template, .publicKey), TokenKey(template, .privateKey))
            guard templates.isMet(by: (Object(planned.0), Object(planned.1))) else { throw .templateInconsistent }
            let keys = try slot.withToken { token throws(TokenError) in try token.generateKeyPair(template) }
            return (Object(keys.0), Object(keys.1))
        case .rsa, .ec: throw .templateInconsistent
        }
    }

    private func generateInSession(_ templates: KeyPairTemplates) throws(CKError) -> (Object, Object) {
        let key = try SessionKey(generating: templates, random: slot.settings.random)
        var publicAttributes = templates.publicKey
        var privateAttributes = templates.privateKey
        let values = try key.publicValues()
        for type in values.types {
            publicAttributes[type] = values[type]
            if privateAttributes[type] != nil { privateAttributes[type] = values[type] }
        }
        return (
            Object(
                home: .session(handle, nil), attributes: publicAttributes,
                isPrivate: publicAttributes[CKA_PRIVATE] == [1]),
            Object(
                home: .session(handle, key), attributes: privateAttributes,
                isPrivate: privateAttributes[CKA_PRIVATE] == [1])
        )
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
