// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import HostCrypto
import Secrets

/// A signature that holds what it signs, or its verification (PKCS #11 v2.40, 5.12 and 5.14).
struct RecoveryOperation {
    let key: Object
    let scheme: RSASignatureScheme
    let bitCount: Int

    var signatureSize: Int { (bitCount + 7) / 8 }
}

extension Session {
    package func signRecoverInit(_ mechanism: Mechanism, key handle: CK_OBJECT_HANDLE) throws(CKError) {
        guard signRecovery == nil else { throw .operationActive }
        signRecovery = try recovery(mechanism, handle, class: CKO_PRIVATE_KEY, permission: CKA_SIGN_RECOVER)
    }

    /// The number of bytes that the active operation will deliver.
    package func signRecoverSize() throws(CKError) -> Int {
        guard let signRecovery else { throw .operationNotInitialised }
        return signRecovery.signatureSize
    }

    /// Signs data that can be recovered from the signature.
    package func signRecover(_ data: Span<UInt8>) throws(CKError) -> [UInt8] {
        guard let operation = signRecovery else { throw .operationNotInitialised }
        signRecovery = nil
        defer { if consent.draft != nil { signRecovery = operation } }
        return try sign([UInt8](copying: data), operation.scheme, with: operation.key)
    }

    package func verifyRecoverInit(_ mechanism: Mechanism, key handle: CK_OBJECT_HANDLE) throws(CKError) {
        guard verifyRecovery == nil else { throw .operationActive }
        verifyRecovery = try recovery(mechanism, handle, class: CKO_PUBLIC_KEY, permission: CKA_VERIFY_RECOVER)
    }

    /// The data that a signature holds. A valid signature leaves the operation active, because the caller's buffer may
    /// be too small.
    package func verifyRecover(_ signature: [UInt8]) throws(CKError) -> [UInt8] {
        guard let operation = verifyRecovery else { throw .operationNotInitialised }
        do throws(HostCryptoError) {
            return try operation.key.attributes.rsaPublicKey().recover(signature.span, operation.scheme)
        } catch {
            throw CKError(error)
        }
    }

    /// Ends a verification whose data the application has.
    package func verifyRecoverEnd() { verifyRecovery = nil }

    private func recovery(
        _ mechanism: Mechanism, _ handle: CK_OBJECT_HANDLE, class objectClass: CK_OBJECT_CLASS,
        permission: CK_ATTRIBUTE_TYPE
    ) throws(CKError) -> RecoveryOperation {
        let definition = try MechanismDefinition.find(mechanism.type)
        guard case .rsa(let padding, hash: nil) = definition.work, padding == .raw || padding == .pkcs1 else {
            throw .mechanismInvalid("no data can be recovered from its signatures")
        }
        let scheme = try mechanism.signatureScheme(padding, hash: nil)
        let key = try operationKey(
            handle, for: definition.type, class: objectClass, permission: permission, keyTypes: [.rsa])
        return RecoveryOperation(key: key, scheme: scheme, bitCount: try definition.bitCount(of: key))
    }
}
