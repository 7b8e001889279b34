public import CCryptoki
import GOST
import HostCrypto
import Secrets

/// A verification (PKCS #11 v2.40, 5.13). It runs on the host.
final class VerificationOperation {
    /// How the end is checked.
    enum Method {
        case signature(MessageDigest, PublicKey)
        case code(RunningCode)
    }

    let method: Method
    /// Whether the key is seen by User only.
    let isPrivate: Bool
    var isMultiPart = false

    init(_ method: Method, isPrivate: Bool) {
        self.method = method
        self.isPrivate = isPrivate
    }

    func update(_ data: Span<UInt8>) throws(CKError) {
        switch method {
        case .signature(let message, _): try message.update(data)
        case .code(let code): code.update(data)
        }
    }
}

extension Session {
    public func verifyInit(_ mechanism: Mechanism, key handle: CK_OBJECT_HANDLE) throws(CKError) {
        guard verification == nil else { throw .operationActive }
        let definition = try MechanismDefinition.find(mechanism.type)
        try definition.checkParameter(mechanism.parameter)
        switch definition.work {
        case .signature(let keyType, let hash):
            let key = try operationKey(handle, class: CKO_PUBLIC_KEY, permission: CKA_VERIFY, keyType: keyType)
            let message = try MessageDigest(size: keyType.digestSize, hash: hash)
            verification = VerificationOperation(
                .signature(message, try key.gostPublicKey()), isPrivate: key.isPrivate)
        case .code(let algorithm):
            let (key, code) = try runningCode(algorithm, mechanism.parameter, key: handle, permission: CKA_VERIFY)
            verification = VerificationOperation(.code(code), isPrivate: key.isPrivate)
        default:
            throw .mechanismInvalid
        }
    }

    /// Verifies the signature of data that came in one part.
    public func verify(_ data: Span<UInt8>, signature: [UInt8]) throws(CKError) {
        guard let operation = verification else { throw .operationNotInitialised }
        guard !operation.isMultiPart else { throw .operationActive }
        try finish(operation, with: data, signature: signature)
    }

    public func verifyUpdate(_ data: Span<UInt8>) throws(CKError) {
        guard let operation = verification else { throw .operationNotInitialised }
        operation.isMultiPart = true
        do throws(CKError) { try operation.update(data) } catch {
            verification = nil
            throw error
        }
    }

    public func verifyFinal(signature: [UInt8]) throws(CKError) {
        guard let operation = verification else { throw .operationNotInitialised }
        try finish(operation, with: Span(), signature: signature)
    }

    private func finish(
        _ operation: VerificationOperation, with data: Span<UInt8>, signature: [UInt8]
    ) throws(CKError) {
        verification = nil
        try operation.update(data)
        switch operation.method {
        case .signature(let message, let key):
            let digest = try message.finalize()
            guard signature.count == 2 * key.curve.coordinateSize else { throw .signatureLengthRange }
            guard key.isValidSignature(signature, digest: digest) else { throw .signatureInvalid }
        case .code(let code):
            guard signature.count == code.size else { throw .signatureLengthRange }
            let expected = try code.finalize()
            guard constantTimeEqual(expected.bytes, signature.span) else { throw .signatureInvalid }
        }
    }
}

extension Object {
    /// A public key of GOST R 34.10.
    func gostPublicKey() throws(CKError) -> PublicKey {
        guard let oid = attributes[CKA_GOSTR3410_PARAMS], let curve = Curve(oid: oid), let value = attributes[CKA_VALUE]
        else { throw .keyHandleInvalid }
        do { return try PublicKey(curve: curve, bytes: value) } catch { throw CKError(error) }
    }
}
