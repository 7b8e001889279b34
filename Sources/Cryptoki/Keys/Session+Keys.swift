package import CCryptoki
import GOST
import HostCrypto
import Secrets
import Token

extension Session {
    /// Makes a key pair, on the token if the private key shall be there, else in this process.
    ///
    /// - Returns: The handles of the public and the private key.
    package func generateKeyPair(
        _ mechanism: Mechanism, publicTemplate: Attributes, privateTemplate: Attributes
    ) throws(CKError) -> (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) {
        let definition = try MechanismDefinition.find(mechanism.type)
        guard case .keyPairGeneration(let keyType) = definition.work else {
            throw .mechanismInvalid("\(mechanism: mechanism.type) makes no key pairs")
        }
        try definition.checkParameter(mechanism.parameter)
        let templates = try KeyPairTemplates(publicTemplate, privateTemplate, keyType: keyType)
        guard isReadWrite || !templates.isToken else { throw .sessionReadOnly("CKA_TOKEN is true in a template") }
        guard slot.login == .user || !(templates.isToken || templates.isPrivate) else {
            throw .userNotLoggedIn("CKA_TOKEN or CKA_PRIVATE is true, for which User must be logged in")
        }
        try checkTrust(templates.publicKey)
        guard templates.privateKey[CKA_TOKEN] == [1] else {
            let objects = try generateInSession(templates)
            return (try insert(objects.0), try insert(objects.1))
        }
        let objects = try generateOnToken(templates)
        let publicKey =
            objects.0.session == nil ? slot.objects.insert(objects.0) : try slot.insertSessionObject(objects.0)
        return (publicKey, slot.objects.insert(objects.1))
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

extension SessionKey {
    /// Makes a key pair in this process.
    fileprivate convenience init(
        generating templates: KeyPairTemplates, random: any RandomSource
    ) throws(CKError) {
        let attributes = templates.publicKey
        switch templates.keyType {
        case .gostR3410, .gostR3410With512Bits:
            guard let curve = attributes[CKA_GOSTR3410_PARAMS].flatMap({ Curve(oid: $0) }) else {
                throw .domainParametersInvalid("\(attributes.place(of: CKA_GOSTR3410_PARAMS)) names no known curve")
            }
            try self.init(generatedOn: curve, random: random)
        case .rsa:
            let bits = try attributes.number(CKA_MODULUS_BITS).map { Int(clamping: $0) } ?? 0
            do throws(HostCryptoError) {
                let key = try RSAPrivateKey(
                    generating: bits, publicExponent: attributes[CKA_PUBLIC_EXPONENT] ?? [])
                self.init(key)
            } catch {
                throw error == .invalidParameter
                    ? .attributeValueInvalid("\(attributes.place(of: CKA_PUBLIC_EXPONENT)) is no public exponent")
                    : CKError(error)
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

    /// Makes a key of GOST R 34.10 in this process.
    convenience init(generatedOn curve: Curve, random: any RandomSource) throws(CKError) {
        do throws(GOSTError) {
            let key = try PrivateKey.generate(on: curve, random: random)
            self.init(key)
        } catch {
            throw CKError(error)
        }
    }
}
