package import CCryptoki
import GOST
import HostCrypto
import Secrets

/// A verification (PKCS #11 v2.40, 5.13). It runs on the host.
final class VerificationOperation {
    /// How the end is checked.
    enum Method {
        case signature(MessageDigest, VerificationKey)
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
    package func verifyInit(_ mechanism: Mechanism, key handle: CK_OBJECT_HANDLE) throws(CKError) {
        guard verification == nil else { throw .operationActive }
        let definition = try MechanismDefinition.find(mechanism.type)
        try definition.checkParameter(mechanism.parameter)
        switch definition.work {
        case .signature(let keyType, let hash):
            let key = try operationKey(
                handle, for: definition.type, class: CKO_PUBLIC_KEY, permission: CKA_VERIFY, keyTypes: [keyType])
            let message = try MessageDigest(sizes: keyType.digestSizes, hash: hash)
            verification = VerificationOperation(
                .signature(message, try VerificationKey(key)), isPrivate: key.isPrivate)
        case .rsa(let padding, let hash):
            let scheme = try mechanism.signatureScheme(padding, hash: hash)
            let key = try operationKey(
                handle, for: definition.type, class: CKO_PUBLIC_KEY, permission: CKA_VERIFY, keyTypes: [.rsa])
            let message = try MessageDigest(scheme, hash: hash, bitCount: definition.bitCount(of: key))
            verification = VerificationOperation(
                .signature(message, try VerificationKey(key, scheme)), isPrivate: key.isPrivate)
        case .code(let algorithm):
            let (key, code) = try runningCode(algorithm, mechanism, key: handle, permission: CKA_VERIFY)
            verification = VerificationOperation(.code(code), isPrivate: key.isPrivate)
        default:
            throw .mechanismInvalid("the mechanism signs nothing")
        }
    }

    /// Verifies the signature of data that came in one part.
    package func verify(_ data: Span<UInt8>, signature: [UInt8]) throws(CKError) {
        guard let operation = verification else { throw .operationNotInitialised }
        guard !operation.isMultiPart else { throw .operationActive }
        try finish(operation, with: data, signature: signature)
    }

    package func verifyUpdate(_ data: Span<UInt8>) throws(CKError) {
        guard let operation = verification else { throw .operationNotInitialised }
        operation.isMultiPart = true
        try operation.update(data)
    }

    package func verifyFinal(signature: [UInt8]) throws(CKError) {
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
            guard try key.isValidSignature(signature, of: digest) else { throw .signatureInvalid }
        case .code(let code):
            guard signature.count == code.size else { throw .signatureLengthRange }
            let expected = try code.finalize()
            guard constantTimeEqual(expected.bytes, signature.span) else { throw .signatureInvalid }
        }
    }
}

/// The public key of a verification.
enum VerificationKey {
    case gost(PublicKey)
    case ec(ECPublicKey)
    case rsa(RSAPublicKey, RSASignatureScheme)

    /// A key of GOST R 34.10 or ECDSA.
    init(_ key: Object) throws(CKError) {
        let attributes = key.attributes
        if attributes[CKA_GOSTR3410_PARAMS] != nil {
            self = .gost(try attributes.gostPublicKey())
        } else {
            let curve = try attributes.ecCurve()
            do throws(HostCryptoError) {
                self = .ec(try ECPublicKey(curve: curve, bareOrDER: attributes[CKA_EC_POINT] ?? []))
            } catch {
                throw CKError(error)
            }
        }
    }

    /// A key of RSA.
    init(_ key: Object, _ scheme: RSASignatureScheme) throws(CKError) {
        do throws(HostCryptoError) { self = .rsa(try key.attributes.rsaPublicKey(), scheme) } catch {
            throw CKError(error)
        }
    }

    /// - Throws: `CKR_SIGNATURE_LEN_RANGE`.
    func isValidSignature(_ signature: [UInt8], of input: [UInt8]) throws(CKError) -> Bool {
        do throws(HostCryptoError) {
            switch self {
            case .gost(let key):
                guard signature.count == 2 * key.curve.coordinateSize else {
                    throw HostCryptoError.invalidSignatureLength
                }
                return key.isValidSignature(signature, digest: input)
            case .ec(let key): return try key.isValidSignature(signature.span, of: input.span)
            case .rsa(let key, let scheme): return try key.isValidSignature(signature.span, of: input.span, scheme)
            }
        } catch {
            throw CKError(error)
        }
    }
}
