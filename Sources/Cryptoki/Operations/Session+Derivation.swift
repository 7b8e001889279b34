// SPDX-License-Identifier: Apache-2.0

package import CCryptoki
import GOST
import Secrets
import Token
import Tokens

extension Session {
    /// Makes a secret key out of another key (PKCS #11 v2.40, 5.16).
    package func deriveKey(
        _ mechanism: Mechanism, from baseHandle: CK_OBJECT_HANDLE, template: Attributes
    ) throws(CKError) -> CK_OBJECT_HANDLE {
        guard case .keyDerivation(let derivation) = try slot.mechanism(mechanism.type).work else {
            throw .mechanismInvalid("\(mechanism: mechanism.type) derives no keys")
        }
        let bases = try baseKeys(mechanism, derivation, baseHandle)
        var asked = template
        for base in bases { asked = try asked.joined(with: base.attributes, CKA_DERIVE_TEMPLATE) }
        var template = try SecretKeyTemplate(asked, keyTypes: derivation.derivedTypes, madeBy: nil, isLocal: false)
        // AES keys have several lengths, and the secret implies none (PKCS #11 v2.40 current mechanisms, 2.3.8).
        guard template.count != nil || template.keyType != .aes else {
            throw .templateIncomplete("CKA_VALUE_LEN is missing, and a key of CKK_AES can have 16, 24 or 32 bytes")
        }
        if derivation.isOfSecrets { for base in bases { try template.inherit(from: base) } }
        try template.inheritPast(from: bases)
        let value = try derivedValue(mechanism, derivation, bases, template)
        let count = template.count ?? template.keyType.size ?? value.count
        guard count <= value.count, template.keyType.allows(count) else {
            throw .templateInconsistent(
                "\(asked.place(of: CKA_VALUE_LEN)): no key of \(keyType: template.keyType.rawValue) with \(count) bytes comes from \(value.count)"
            )
        }
        return try insert(template.object(value.extracting(0..<count), session: handle))
    }

    /// The keys that a mechanism derives from, checked for their types and the permission to be used so.
    private func baseKeys(
        _ mechanism: Mechanism, _ derivation: KeyDerivation, _ base: CK_OBJECT_HANDLE
    ) throws(CKError) -> [Object] {
        guard derivation.isOfSecrets else {
            return [
                try operationKey(
                    base, for: mechanism.type, class: CKO_PRIVATE_KEY, permission: CKA_DERIVE,
                    keyTypes: derivation.keyTypes)
            ]
        }
        var handles = [base]
        if case .concatenation = derivation {
            guard let other = CK_ULONG(bytes: mechanism.parameter) else {
                throw .mechanismParameterInvalid(
                    "the parameter has \(mechanism.parameter.count) bytes, and must be a key's handle")
            }
            handles.append(other)
        }
        return try handles.map { handle throws(CKError) in
            try secretKey(handle, for: mechanism.type, permission: CKA_DERIVE, types: SecretKeyType.all)
        }
    }

    private func derivedValue(
        _ mechanism: Mechanism, _ derivation: KeyDerivation, _ bases: [Object], _ template: SecretKeyTemplate
    ) throws(CKError) -> Secret {
        let base = bases[0]
        let count = template.count ?? template.keyType.size
        switch derivation {
        case .vko2001, .vko2012256, .vko2012512, .keg:
            return try agree(mechanism.agreement(), derivation, sBox: template.sBox, with: base)
        case .ecdh:
            guard case .agreement(let parameters) = mechanism.structure else {
                throw .mechanismParameterInvalid("the parameter is not a CK_ECDH1_DERIVE_PARAMS")
            }
            let peer = try parameters.publicKey(on: base.attributes.ecCurve())
            return try parameters.expand(sharedSecret(of: base, with: peer), count: count)
        case .tree:
            guard case .tree(let tree) = mechanism.structure else {
                throw .mechanismParameterInvalid("the parameter is not a CK_KDF_TREE_GOST_PARAMS")
            }
            return try tree.derive(from: base.secretValue(), count: count)
        case .concatenation:
            var value = Secret(count: 0)
            for base in bases {
                let next = try base.secretValue()
                value = value.appending(next.bytes)
            }
            return value
        }
    }
}

extension SecretKeyTemplate {
    /// The substitution of a new key of GOST 28147-89.
    fileprivate var sBox: SBox {
        let parameters = attributes[CKA_GOST28147_PARAMS]
        return SBox.all.first { $0.oid == parameters } ?? .cryptoProA
    }

    /// A key derived from a sensitive or unextractable key is as well (PKCS #11 v2.40, 2.31.2).
    fileprivate mutating func inherit(from key: Object) throws(CKError) {
        if try key.attributes.bool(CKA_SENSITIVE) == true { attributes.set(CKA_SENSITIVE, true) }
        if try key.attributes.bool(CKA_EXTRACTABLE) == false { attributes.set(CKA_EXTRACTABLE, false) }
    }

    /// A derived key was always hidden if it is hidden, and its base keys always were (PKCS #11 v2.40 current
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

extension Session {
    /// The wrapped value of a secret key (PKCS #11 v2.40, 5.16).
    package func wrapKey(
        _ mechanism: Mechanism, _ handle: CK_OBJECT_HANDLE, with wrappingHandle: CK_OBJECT_HANDLE
    ) throws(CKError) -> [UInt8] {
        let wrappingKey = try wrappingKey(mechanism, wrappingHandle, .encryption)
        let key = try key(handle)
        guard key.tokenObject?.container == nil else {
            throw .keyUnextractable("a key of a container never leaves it")
        }
        guard try key.attributes.number(CKA_CLASS) == CKO_SECRET_KEY else {
            throw .keyNotWrappable("only secret keys are wrapped")
        }
        guard try key.attributes.bool(CKA_EXTRACTABLE) == true else {
            throw .keyUnextractable("the CKA_EXTRACTABLE of the key to wrap is false")
        }
        let wrapping = try slot.visibleObject(wrappingHandle).attributes
        guard key.attributes[CKA_WRAP_WITH_TRUSTED] != [1] || wrapping[CKA_TRUSTED] == [1] else {
            throw .keyNotWrappable("the key's CKA_WRAP_WITH_TRUSTED is true, the wrapping key's CKA_TRUSTED is not")
        }
        guard let template = Attributes(packed: wrapping[CKA_WRAP_TEMPLATE] ?? []), key.attributes.matches(template)
        else {
            throw .keyHandleInvalid("the key to wrap does not match the wrapping key's CKA_WRAP_TEMPLATE")
        }
        return try wrappingKey.wrap(slot.loaded(key).secretValue(), mechanism.parameter)
    }

    /// Makes a secret key of a wrapped value (PKCS #11 v2.40, 5.16).
    package func unwrapKey(
        _ mechanism: Mechanism, _ wrapped: [UInt8], with unwrappingHandle: CK_OBJECT_HANDLE, template: Attributes
    ) throws(CKError) -> CK_OBJECT_HANDLE {
        let key = try wrappingKey(mechanism, unwrappingHandle, .decryption)
        let unwrapping = try slot.visibleObject(unwrappingHandle).attributes
        let template = try SecretKeyTemplate(
            template.joined(with: unwrapping, CKA_UNWRAP_TEMPLATE), keyTypes: key.wrappedTypes, madeBy: nil,
            isLocal: false)
        let value = try key.unwrap(wrapped, mechanism.parameter)
        guard template.count ?? value.count == value.count else {
            throw .templateInconsistent("CKA_VALUE_LEN is not \(value.count), the bytes of the unwrapped key")
        }
        guard template.keyType.allows(value.count) else {
            throw .wrappedKeyLengthRange("\(value.count) bytes are not a key of \(keyType: template.keyType.rawValue)")
        }
        return try insert(template.object(value, session: handle))
    }

    private func wrappingKey(
        _ mechanism: Mechanism, _ handle: CK_OBJECT_HANDLE, _ direction: CipherDirection
    ) throws(CKError) -> WrappingKey {
        let definition = try slot.mechanism(mechanism.type)
        let permission = direction == .encryption ? CKA_WRAP : CKA_UNWRAP
        return try renamed(direction) { () throws(CKError) in
            switch definition.work {
            case .keyWrapping(let wrapping):
                .secret(
                    wrapping,
                    try secretKey(handle, for: definition.type, permission: permission, types: [wrapping.keyType]))
            case .rsa(let padding, hash: nil) where padding == .pkcs1 || padding == .oaep:
                .rsa(
                    try rsaCipher(
                        definition, mechanism.encryptionScheme(padding), handle, permission: permission, direction))
            case .keyTransport:
                .transport(
                    KeyTransportCipher(
                        session: self, mechanism: mechanism,
                        key: try operationKey(
                            handle, for: definition.type,
                            class: direction == .encryption ? CKO_PUBLIC_KEY : CKO_PRIVATE_KEY, permission: permission,
                            keyTypes: [.gostR3410, .gostR3410With512Bits])))
            default: throw .mechanismInvalid("the mechanism wraps no keys")
            }
        }
    }

    /// Renames errors of a key that wraps, which have names of their own.
    private func renamed<Result>(
        _ direction: CipherDirection, _ body: () throws(CKError) -> Result
    ) throws(CKError) -> Result {
        let wraps = direction == .encryption
        do throws(CKError) { return try body() } catch {
            switch error.rawValue {
            case CKR_KEY_HANDLE_INVALID:
                throw error.renamed(wraps ? CKR_WRAPPING_KEY_HANDLE_INVALID : CKR_UNWRAPPING_KEY_HANDLE_INVALID)
            case CKR_KEY_TYPE_INCONSISTENT:
                throw error.renamed(wraps ? CKR_WRAPPING_KEY_TYPE_INCONSISTENT : CKR_UNWRAPPING_KEY_TYPE_INCONSISTENT)
            case CKR_KEY_SIZE_RANGE:
                throw error.renamed(wraps ? CKR_WRAPPING_KEY_SIZE_RANGE : CKR_UNWRAPPING_KEY_SIZE_RANGE)
            default: throw error
            }
        }
    }
}
