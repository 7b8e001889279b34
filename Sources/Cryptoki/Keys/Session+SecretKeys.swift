package import CCryptoki
import Secrets
import Token

extension Session {
    /// Makes a secret key in this process.
    package func generateKey(_ mechanism: Mechanism, template: Attributes) throws(CKError) -> CK_OBJECT_HANDLE {
        let definition = try MechanismDefinition.find(mechanism.type)
        guard case .keyGeneration(let keyType) = definition.work else {
            throw .mechanismInvalid("\(mechanism: mechanism.type) makes no secret keys")
        }
        try definition.checkParameter(mechanism.parameter)
        let template = try SecretKeyTemplate(template, keyTypes: [keyType], madeBy: mechanism.type, isLocal: true)
        guard let value = try? slot.settings.random.secret(template.size()) else {
            _ = try template.size()
            throw .functionFailed
        }
        return try insert(template.object(value, session: handle))
    }

    /// The secret key for an operation, checked for its type and the permission to be used so.
    func secretKey(
        _ handle: CK_OBJECT_HANDLE, for mechanism: CK_MECHANISM_TYPE, permission: CK_ATTRIBUTE_TYPE,
        types: [SecretKeyType]
    ) throws(CKError) -> Object {
        let key = try key(handle)
        try key.requireKind(CKO_SECRET_KEY, types.map(\.rawValue))
        try key.checkUse(permission, by: mechanism)
        return try slot.loaded(key)
    }
}
