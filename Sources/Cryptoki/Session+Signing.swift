public import CCryptoki
import GOST
import Token

/// A signature operation (PKCS #11 v2.40, 5.11).
final class SignatureOperation {
    let key: Object
    let message: MessageDigest
    let signatureSize: Int

    init(key: Object, keyType: KeyType, hash: HashAlgorithm?) {
        self.key = key
        message = MessageDigest(size: keyType.digestSize, hash: hash)
        signatureSize = 2 * keyType.digestSize
    }
}

extension Session {
    public func signInit(_ mechanism: Mechanism, key handle: CK_OBJECT_HANDLE) throws(CKError) {
        guard signature == nil else { throw .operationActive }
        let (keyType, hash) = try Self.signatureScheme(of: mechanism)
        let key = try operationKey(handle, class: CKO_PRIVATE_KEY, permission: CKA_SIGN, keyType: keyType)
        signature = SignatureOperation(key: key, keyType: keyType, hash: hash)
    }

    /// The number of bytes that the active operation will deliver.
    public func signatureSize() throws(CKError) -> Int {
        guard let signature else { throw .operationNotInitialised }
        return signature.signatureSize
    }

    /// Signs data that came in one part.
    public func sign(_ data: Span<UInt8>) throws(CKError) -> [UInt8] {
        guard let operation = signature else { throw .operationNotInitialised }
        guard !operation.message.isMultiPart else { throw .operationActive }
        return try finish(operation, with: data)
    }

    public func signUpdate(_ data: Span<UInt8>) throws(CKError) {
        guard let operation = signature else { throw .operationNotInitialised }
        do { try operation.message.update(data) } catch {
            signature = nil
            throw error
        }
    }

    public func signFinal() throws(CKError) -> [UInt8] {
        guard let operation = signature else { throw .operationNotInitialised }
        return try finish(operation, with: Span())
    }

    private func finish(_ operation: SignatureOperation, with data: Span<UInt8>) throws(CKError) -> [UInt8] {
        signature = nil
        let digest = try operation.message.finalize(data)
        if let key = operation.key.tokenKey {
            return try slot.withToken { token throws(TokenError) in try token.sign(digest: digest, with: key) }
        }
        guard let key = operation.key.sessionKey else { throw .keyHandleInvalid }
        return try key.sign(digest: digest, random: slot.settings.random)
    }

    /// Which keys a signature mechanism works with, and how it hashes.
    static func signatureScheme(of mechanism: Mechanism) throws(CKError) -> (KeyType, HashAlgorithm?) {
        let definition = try MechanismDefinition.find(mechanism.type)
        guard case .signature(let keyType, let hash) = definition.work else { throw .mechanismInvalid }
        try definition.checkParameter(mechanism.parameter)
        return (keyType, hash)
    }

    /// The key for an operation, checked for its class, its type and the permission to be used so.
    func operationKey(
        _ handle: CK_OBJECT_HANDLE, class objectClass: CK_OBJECT_CLASS, permission: CK_ATTRIBUTE_TYPE, keyType: KeyType
    ) throws(CKError) -> Object {
        guard let key = try? slot.visibleObject(handle), try key.attributes.number(CKA_CLASS) == objectClass else {
            throw .keyHandleInvalid
        }
        guard try key.attributes.number(CKA_KEY_TYPE) == keyType.rawValue else { throw .keyTypeInconsistent }
        guard try key.attributes.bool(permission) == true else { throw .keyFunctionNotPermitted }
        return key
    }
}

extension CKError {
    /// What an application learns when a computation on the host fails.
    init(_ error: GOSTError) {
        self =
            switch error {
            case .invalidPoint, .invalidParameter: .domainParametersInvalid
            case .invalidLength: .dataLengthRange
            default: CKError(CKR_FUNCTION_FAILED)
            }
    }
}
