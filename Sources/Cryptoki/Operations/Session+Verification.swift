// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import GOST
import HostCrypto
import Secrets

extension Session {
    package func verifyInit(_ mechanism: Mechanism, key handle: CK_OBJECT_HANDLE) throws(CKError) {
        guard verification == nil else { throw .operationActive }
        let operation = try signatureOperation(mechanism, handle, class: CKO_PUBLIC_KEY, permission: CKA_VERIFY)
        if case .digest = operation.input {
            operation.publicKey = try VerificationKey(operation.key, operation.scheme)
        }
        verification = operation
    }

    /// Verifies the signature of data that came in one part, or in parts of which this is the last.
    package func verify(_ data: Span<UInt8>, signature: [UInt8], afterParts: Bool = false) throws(CKError) {
        guard let operation = verification else { throw .operationNotInitialised }
        guard afterParts || !operation.isMultiPart else { throw .operationActive }
        verification = nil
        try operation.update(data)
        switch operation.input {
        case .digest(let digest):
            let digest = try digest.finalize()
            guard try operation.publicKey?.isValidSignature(signature, of: digest) == true else {
                throw .signatureInvalid
            }
        case .code(let code):
            guard signature.count == code.size else { throw .signatureLengthRange }
            let expected = try code.finalize()
            guard constantTimeEqual(expected.bytes, signature.span) else { throw .signatureInvalid }
        }
    }

    package func verifyUpdate(_ data: Span<UInt8>) throws(CKError) {
        guard let operation = verification else { throw .operationNotInitialised }
        operation.isMultiPart = true
        try operation.update(data)
    }

    package func verifyFinal(signature: [UInt8]) throws(CKError) {
        try verify(Span(), signature: signature, afterParts: true)
    }
}

/// The public key of a verification.
enum VerificationKey {
    case gost(PublicKey)
    case ec(ECPublicKey)
    case rsa(RSAPublicKey, RSASignatureScheme)

    /// - Parameter scheme: nil but for keys of RSA.
    init(_ key: Object, _ scheme: RSASignatureScheme? = nil) throws(CKError) {
        let attributes = key.attributes
        if let scheme {
            do { self = .rsa(try attributes.rsaPublicKey(), scheme) } catch { throw CKError(error) }
        } else if attributes[CKA_GOSTR3410_PARAMS] != nil {
            self = .gost(try attributes.gostPublicKey())
        } else {
            let curve = try attributes.ecCurve()
            do { self = .ec(try ECPublicKey(curve: curve, bareOrDER: attributes[CKA_EC_POINT] ?? [])) } catch {
                throw CKError(error)
            }
        }
    }

    /// - Throws: `CKR_SIGNATURE_LEN_RANGE`.
    func isValidSignature(_ signature: [UInt8], of input: [UInt8]) throws(CKError) -> Bool {
        switch self {
        case .gost(let key):
            guard signature.count == 2 * key.curve.coordinateSize else { throw .signatureLengthRange }
            do { return try key.isValidSignature(signature, digest: input) } catch { throw CKError(error) }
        case .ec(let key):
            do { return try key.isValidSignature(signature.span, of: input.span) } catch { throw CKError(error) }
        case .rsa(let key, let scheme):
            do { return try key.isValidSignature(signature.span, of: input.span, scheme) } catch {
                throw CKError(error)
            }
        }
    }
}
