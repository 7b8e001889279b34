// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import Token

extension Session {
    /// Makes a key pair, on the token if the private key is to live there, else in this process.
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
        let templates = try KeyPairTemplates(publicTemplate, privateTemplate, kind: keyType.kind)
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
        let key = try templates.kind.generate(templates.publicKey, random: slot.settings.random)
        var publicKey = templates.publicKey
        var privateKey = templates.privateKey
        let values = try key.publicValues()
        // The private half of some keys has the public numbers, too.
        let table = try AttributeTable(for: privateKey)
        for type in values.types {
            publicKey[type] = values[type]
            if table[type] != nil, !templates.kind.secretAttributes.contains(type) {
                privateKey[type] = values[type]
            }
        }
        return (
            Object(home: .session(handle, nil), attributes: publicKey, isPrivate: publicKey[CKA_PRIVATE] == [1]),
            Object(home: .session(handle, key), attributes: privateKey, isPrivate: privateKey[CKA_PRIVATE] == [1])
        )
    }
}
