// SPDX-License-Identifier: Apache-2.0
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
}
