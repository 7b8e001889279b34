// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import Secrets

extension Session {
    /// The wrapped value of a secret key (PKCS #11 v2.40, 5.16).
    package func wrapKey(
        _ mechanism: Mechanism, _ handle: CK_OBJECT_HANDLE, with wrappingHandle: CK_OBJECT_HANDLE
    ) throws(CKError) -> [UInt8] {
        let wrappingKey = try wrappingKey(mechanism, wrappingHandle, .encryption)
        let key = try key(handle)
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
        let definition = try MechanismDefinition.find(mechanism.type)
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
