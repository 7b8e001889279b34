// SPDX-License-Identifier: Apache-2.0

package import CCryptoki
import GOST
import HostCrypto
import Secrets
import Token
import Tokens

/// A signature, or its verification (PKCS #11 v2.40, 5.11 and 5.13), by a key pair or as a MAC of a secret key.
final class SignatureOperation {
    /// The use of the data.
    enum Input {
        case digest(MessageDigest)
        case code(MACState)
    }

    let key: Object
    /// nil but for keys of RSA.
    let scheme: RSASignatureScheme?
    let input: Input
    let signatureSize: Int
    /// The key that verifies, for a verification by a key pair.
    var publicKey: PublicKeyInfo?
    var isMultiPart = false
    /// The message that the data stands for, for the question to the user.
    var content: SignedContent?

    init(_ key: Object, _ input: Input, signatureSize: Int, scheme: RSASignatureScheme? = nil) {
        self.key = key
        self.scheme = scheme
        self.input = input
        self.signatureSize = signatureSize
    }

    func update(_ data: Span<UInt8>) throws(CKError) {
        switch input {
        case .digest(let digest): try digest.update(data)
        case .code(let code): code.update(data)
        }
    }
}

extension Session {
    package func signInit(_ mechanism: Mechanism, key handle: CK_OBJECT_HANDLE) throws(CKError) {
        guard signature == nil else { throw .operationActive }
        signature = try signatureOperation(mechanism, handle, class: CKO_PRIVATE_KEY, permission: CKA_SIGN)
    }

    /// A new operation of a mechanism that signs, with its key.
    ///
    /// - Parameter objectClass: The class of the key, unless it is a secret key.
    func signatureOperation(
        _ mechanism: Mechanism, _ handle: CK_OBJECT_HANDLE, class objectClass: CK_OBJECT_CLASS,
        permission: CK_ATTRIBUTE_TYPE
    ) throws(CKError) -> SignatureOperation {
        let definition = try slot.mechanism(mechanism.type)
        try definition.checkParameter(mechanism.parameter)
        switch definition.work {
        case .signature(let keyType, let hash):
            let key = try operationKey(
                handle, for: definition.type, class: objectClass, permission: permission, keyTypes: [keyType])
            let digest = try MessageDigest(sizes: keyType.kind.digestSizes, hash: hash)
            return SignatureOperation(
                key, .digest(digest), signatureSize: try keyType.kind.signatureSize(key.attributes))
        case .rsa(let padding, let hash):
            let scheme = try mechanism.signatureScheme(padding, hash: hash)
            let key = try operationKey(
                handle, for: definition.type, class: objectClass, permission: permission, keyTypes: [.rsa])
            let bitCount = try definition.bitCount(of: key)
            let digest = try MessageDigest(scheme, hash: hash, bitCount: bitCount)
            return SignatureOperation(key, .digest(digest), signatureSize: (bitCount + 7) / 8, scheme: scheme)
        case .code(let algorithm):
            let key = try secretKey(
                handle, for: definition.type, permission: permission, types: algorithm.keyTypes)
            let value = try key.secretValue()
            let code = try MACState(algorithm, key: value, sBox: key.sBox, parameter: mechanism.parameter)
            return SignatureOperation(key, .code(code), signatureSize: code.size)
        default:
            throw .mechanismInvalid("the mechanism signs nothing")
        }
    }

    /// The number of bytes that the active operation will deliver.
    package func signatureSize() throws(CKError) -> Int {
        guard let signature else { throw .operationNotInitialised }
        return signature.signatureSize
    }

    /// Signs data that came in one part, or ends data that came in parts with a last one.
    package func sign(_ data: Span<UInt8>, afterParts: Bool = false) throws(CKError) -> [UInt8] {
        guard let operation = signature else { throw .operationNotInitialised }
        guard afterParts || !operation.isMultiPart else { throw .operationActive }
        signature = nil
        switch operation.input {
        case .digest(let digest):
            try digest.update(data)
            let digest = try digest.finalize()
            let purpose = KeyUse.Purpose.signature(digest, of: operation.content)
            if let scheme = operation.scheme { return try sign(digest, scheme, with: operation.key, for: purpose) }
            switch try place(of: operation.key, for: purpose) {
            case .token(let key):
                return try slot.withToken(usesKey: true) { token throws(TokenError) in
                    try token.sign(digest: digest, with: key)
                }
            case .process(let key): return try key.sign(digest: digest, random: slot.settings.random)
            }
        case .code(let code):
            code.update(data)
            let result = try code.finalize()
            return [UInt8](copying: result)
        }
    }

    package func signUpdate(_ data: Span<UInt8>) throws(CKError) {
        guard let operation = signature else { throw .operationNotInitialised }
        operation.isMultiPart = true
        try operation.update(data)
    }

    package func signFinal() throws(CKError) -> [UInt8] { try sign(Span(), afterParts: true) }
}

extension Session {
    package func verifyInit(_ mechanism: Mechanism, key handle: CK_OBJECT_HANDLE) throws(CKError) {
        guard verification == nil else { throw .operationActive }
        let operation = try signatureOperation(mechanism, handle, class: CKO_PUBLIC_KEY, permission: CKA_VERIFY)
        if case .digest = operation.input {
            operation.publicKey = try operation.key.attributes.publicKeyInfo()
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
            let isValid = try tokensError { () throws(TokensError) in
                try operation.publicKey?.isValidSignature(signature, of: digest, operation.scheme) == true
            }
            guard isValid else { throw .signatureInvalid }
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
        let block = [UInt8](copying: data)
        return try sign(block, operation.scheme, with: operation.key, for: .signature(block))
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
        let definition = try slot.mechanism(mechanism.type)
        guard case .rsa(let padding, hash: nil) = definition.work, padding == .raw || padding == .pkcs1 else {
            throw .mechanismInvalid("no data can be recovered from its signatures")
        }
        let scheme = try mechanism.signatureScheme(padding, hash: nil)
        let key = try operationKey(
            handle, for: definition.type, class: objectClass, permission: permission, keyTypes: [.rsa])
        return RecoveryOperation(key: key, scheme: scheme, bitCount: try definition.bitCount(of: key))
    }
}
