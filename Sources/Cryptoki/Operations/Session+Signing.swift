package import CCryptoki
import GOST
import HostCrypto
import Secrets

/// What a signature is made of: a digest that a private key signs, or a code that a secret key made on the way.
enum SignatureInput {
    case digest(MessageDigest)
    case rsa(MessageDigest, RSASignatureScheme)
    case code(RunningCode)

    func update(_ data: Span<UInt8>) throws(CKError) {
        switch self {
        case .digest(let message), .rsa(let message, _): try message.update(data)
        case .code(let code): code.update(data)
        }
    }
}

/// A signature operation (PKCS #11 v2.40, 5.11).
final class SignatureOperation {
    let key: Object
    let input: SignatureInput
    let signatureSize: Int
    var isMultiPart = false

    init(key: Object, input: SignatureInput, signatureSize: Int) {
        self.key = key
        self.input = input
        self.signatureSize = signatureSize
    }
}

extension Session {
    package func signInit(_ mechanism: Mechanism, key handle: CK_OBJECT_HANDLE) throws(CKError) {
        guard signature == nil else { throw .operationActive }
        let definition = try MechanismDefinition.find(mechanism.type)
        try definition.checkParameter(mechanism.parameter)
        switch definition.work {
        case .signature(let keyType, let hash):
            let key = try operationKey(
                handle, for: definition.type, class: CKO_PRIVATE_KEY, permission: CKA_SIGN, keyTypes: [keyType])
            let message = try MessageDigest(sizes: keyType.digestSizes, hash: hash)
            signature = SignatureOperation(key: key, input: .digest(message), signatureSize: try key.signatureSize())
        case .rsa(let padding, let hash):
            let scheme = try mechanism.signatureScheme(padding, hash: hash)
            let key = try operationKey(
                handle, for: definition.type, class: CKO_PRIVATE_KEY, permission: CKA_SIGN, keyTypes: [.rsa])
            let bitCount = try definition.bitCount(of: key)
            let message = try MessageDigest(scheme, hash: hash, bitCount: bitCount)
            signature = SignatureOperation(
                key: key, input: .rsa(message, scheme), signatureSize: (bitCount + 7) / 8)
        case .code(let algorithm):
            let (key, code) = try runningCode(algorithm, mechanism, key: handle, permission: CKA_SIGN)
            signature = SignatureOperation(key: key, input: .code(code), signatureSize: code.size)
        default:
            throw .mechanismInvalid("the mechanism signs nothing")
        }
    }

    /// The number of bytes that the active operation will deliver.
    package func signatureSize() throws(CKError) -> Int {
        guard let signature else { throw .operationNotInitialised }
        return signature.signatureSize
    }

    /// Signs data that came in one part.
    package func sign(_ data: Span<UInt8>) throws(CKError) -> [UInt8] {
        guard let operation = signature else { throw .operationNotInitialised }
        guard !operation.isMultiPart else { throw .operationActive }
        return try finish(operation, with: data)
    }

    package func signUpdate(_ data: Span<UInt8>) throws(CKError) {
        guard let operation = signature else { throw .operationNotInitialised }
        operation.isMultiPart = true
        try operation.input.update(data)
    }

    package func signFinal() throws(CKError) -> [UInt8] {
        guard let operation = signature else { throw .operationNotInitialised }
        return try finish(operation, with: Span())
    }

    private func finish(_ operation: SignatureOperation, with data: Span<UInt8>) throws(CKError) -> [UInt8] {
        signature = nil
        try operation.input.update(data)
        switch operation.input {
        case .digest(let message): return try sign(digest: message.finalize(), with: operation.key)
        case .rsa(let message, let scheme): return try sign(message.finalize(), scheme, with: operation.key)
        case .code(let code):
            let code = try code.finalize()
            return [UInt8](copying: code)
        }
    }

    /// The beginning of a code with a secret key.
    func runningCode(
        _ algorithm: CodeAlgorithm, _ mechanism: Mechanism, key handle: CK_OBJECT_HANDLE, permission: CK_ATTRIBUTE_TYPE
    ) throws(CKError) -> (Object, RunningCode) {
        let key = try secretKey(
            handle, for: mechanism.type, permission: permission, types: algorithm.keyTypes)
        let value = try key.secretValue()
        return (key, try RunningCode(algorithm, key: value, sBox: key.sBox, parameter: mechanism.parameter))
    }

    /// The key for an operation, checked for its class, its type and the permission to be used so.
    func operationKey(
        _ handle: CK_OBJECT_HANDLE, for mechanism: CK_MECHANISM_TYPE, class objectClass: CK_OBJECT_CLASS,
        permission: CK_ATTRIBUTE_TYPE, keyTypes: [KeyType]
    ) throws(CKError) -> Object {
        var key = try key(handle)
        if key.tokenItem != nil { key.tokenHandle = handle }
        try key.requireKind(objectClass, keyTypes.map(\.rawValue))
        try key.checkUse(permission, by: mechanism)
        return try authenticating(key)
    }
}

extension Object {
    /// The bytes of a signature by GOST R 34.10 or ECDSA: two numbers.
    fileprivate func signatureSize() throws(CKError) -> Int {
        switch keyType {
        case .ec: 2 * (try attributes.ecCurve().coordinateSize)
        case .gostR3410With512Bits: 128
        default: 64
        }
    }
}
