public import CCryptoki
import GOST
import Secrets

extension Session {
    /// Makes a secret key out of another key (PKCS #11 v2.40, 5.16).
    public func deriveKey(
        _ mechanism: Mechanism, from baseHandle: CK_OBJECT_HANDLE, template: Attributes
    ) throws(CKError) -> CK_OBJECT_HANDLE {
        guard case .keyDerivation(let derivation) = try MechanismDefinition.find(mechanism.type).work else {
            throw .mechanismInvalid
        }
        var template = try SecretKeyTemplate(
            template, keyTypes: derivation.derivedTypes, madeBy: nil, isLocal: false)
        let value = try derivedValue(mechanism, derivation, baseHandle, &template)
        guard template.count ?? template.keyType.size ?? value.count <= value.count else { throw .templateInconsistent }
        let count = template.count ?? template.keyType.size ?? value.count
        guard template.keyType.allows(count) else { throw .templateInconsistent }
        template.count = count
        return try insert(template.object(value.extracting(0..<count), session: handle))
    }

    private func derivedValue(
        _ mechanism: Mechanism, _ derivation: KeyDerivation, _ base: CK_OBJECT_HANDLE,
        _ template: inout SecretKeyTemplate
    ) throws(CKError) -> Secret {
        switch derivation {
        case .vko2001, .vko2012256, .vko2012512, .keg:
            let key = try operationKey(
                base, for: mechanism.type, class: CKO_PRIVATE_KEY, permission: CKA_DERIVE,
                keyTypes: derivation.keyTypes)
            let parameters = try mechanism.agreement()
            try template.inheritPast(from: [key])
            return try agree(parameters, derivation, sBox: template.sBox, with: key)
        case .ecdh:
            let key = try operationKey(
                base, for: mechanism.type, class: CKO_PRIVATE_KEY, permission: CKA_DERIVE,
                keyTypes: derivation.keyTypes)
            guard case .agreement(let parameters) = mechanism.structure else { throw .mechanismParameterInvalid }
            let peer = try parameters.publicKey(on: key.attributes.ecCurve())
            try template.inheritPast(from: [key])
            return try parameters.expand(
                sharedSecret(of: key, with: peer), count: template.count ?? template.keyType.size)
        case .tree:
            guard case .tree(let tree) = mechanism.structure else { throw .mechanismParameterInvalid }
            let key = try secretKey(
                base, for: mechanism.type, permission: CKA_DERIVE, types: SecretKeyType.allCases)
            try template.inherit(from: key)
            try template.inheritPast(from: [key])
            return try tree.derive(from: key.secretValue(), count: template.count ?? template.keyType.size)
        case .concatenation:
            guard let other = CK_ULONG(octets: mechanism.parameter) else { throw .mechanismParameterInvalid }
            let keys = try [base, other].map { handle throws(CKError) in
                try secretKey(
                    handle, for: mechanism.type, permission: CKA_DERIVE, types: SecretKeyType.allCases)
            }
            for key in keys { try template.inherit(from: key) }
            try template.inheritPast(from: keys)
            let first = try keys[0].secretValue()
            let second = try keys[1].secretValue()
            return first.appending(second.bytes)
        }
    }
}

extension SecretKeyTemplate {
    /// The substitution of a key of GOST 28147-89 that is to be.
    fileprivate var sBox: SBox {
        let parameters = attributes[CKA_GOST28147_PARAMS]
        return SBox.all.first { $0.oid == parameters } ?? .cryptoProA
    }

    /// A key derived from a key that is not to be known is not to be known either (PKCS #11 v2.40, 2.31.2).
    fileprivate mutating func inherit(from key: Object) throws(CKError) {
        if try key.attributes.bool(CKA_SENSITIVE) == true { attributes.set(CKA_SENSITIVE, true) }
        if try key.attributes.bool(CKA_EXTRACTABLE) == false { attributes.set(CKA_EXTRACTABLE, false) }
    }

    /// A derived key was always hidden if it is and if the keys were that it was made of (PKCS #11 v2.40 current
    /// mechanisms, 2.3.8 and 2.31.2).
    fileprivate mutating func inheritPast(from keys: [Object]) throws(CKError) {
        let wereSensitive = keys.allSatisfy { $0.attributes[CKA_ALWAYS_SENSITIVE] == [1] }
        let wereKeptIn = keys.allSatisfy { $0.attributes[CKA_NEVER_EXTRACTABLE] == [1] }
        let isSensitive = try attributes.bool(CKA_SENSITIVE) == true
        let isExtractable = try attributes.bool(CKA_EXTRACTABLE) == true
        attributes.set(CKA_ALWAYS_SENSITIVE, wereSensitive && isSensitive)
        attributes.set(CKA_NEVER_EXTRACTABLE, wereKeptIn && !isExtractable)
    }
}

extension CK_ULONG {
    /// The number that a mechanism's parameter holds.
    fileprivate init?(octets: [UInt8]) {
        guard octets.count == MemoryLayout<CK_ULONG>.size else { return nil }
        self = octets.reversed().reduce(0) { $0 << 8 | CK_ULONG($1) }
    }
}
