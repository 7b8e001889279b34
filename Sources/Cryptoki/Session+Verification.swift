public import CCryptoki
import GOST

/// A verification (PKCS #11 v2.40, 5.13). It needs public values only and runs on the host.
final class VerificationOperation {
    let key: PublicKey
    let message: MessageDigest

    init(key: PublicKey, keyType: KeyType, hash: HashAlgorithm?) {
        self.key = key
        message = MessageDigest(size: keyType.digestSize, hash: hash)
    }
}

extension Session {
    public func verifyInit(_ mechanism: Mechanism, key handle: CK_OBJECT_HANDLE) throws(CKError) {
        guard verification == nil else { throw .operationActive }
        let (keyType, hash) = try Self.signatureScheme(of: mechanism)
        let key = try operationKey(handle, class: CKO_PUBLIC_KEY, permission: CKA_VERIFY, keyType: keyType)
        guard let oid = key.attributes[CKA_GOSTR3410_PARAMS], let curve = Curve(oid: oid),
            let value = key.attributes[CKA_VALUE]
        else { throw .keyHandleInvalid }
        do {
            let publicKey = try PublicKey(curve: curve, bytes: value)
            verification = VerificationOperation(key: publicKey, keyType: keyType, hash: hash)
        } catch {
            throw CKError(error)
        }
    }

    /// Verifies the signature of data that came in one part.
    public func verify(_ data: Span<UInt8>, signature: [UInt8]) throws(CKError) {
        guard let operation = verification else { throw .operationNotInitialised }
        guard !operation.message.isMultiPart else { throw .operationActive }
        try finish(operation, with: data, signature: signature)
    }

    public func verifyUpdate(_ data: Span<UInt8>) throws(CKError) {
        guard let operation = verification else { throw .operationNotInitialised }
        do { try operation.message.update(data) } catch {
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
        let digest = try operation.message.finalize(data)
        guard signature.count == 2 * operation.key.curve.coordinateSize else { throw .signatureLengthRange }
        guard operation.key.isValidSignature(signature, digest: digest) else { throw .signatureInvalid }
    }
}
