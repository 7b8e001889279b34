// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import GOST
import HostCrypto
import Secrets

/// A signature, or its verification (PKCS #11 v2.40, 5.11 and 5.13), by a key pair or as a MAC of a secret key.
final class SignatureOperation {
    /// The use of the data.
    enum Input {
        case digest(MessageDigest)
        case code(RunningCode)
    }

    let key: Object
    /// nil but for keys of RSA.
    let scheme: RSASignatureScheme?
    let input: Input
    let signatureSize: Int
    /// The key that verifies, for a verification by a key pair.
    var publicKey: VerificationKey?
    var isMultiPart = false
    /// The digest of all data, while the user is asked for consent to its signature.
    private var finished: [UInt8]?

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

    /// The digest of all data, of which `data` is the last.
    func finish(_ digest: MessageDigest, with data: Span<UInt8>) throws(CKError) -> [UInt8] {
        if let finished { return finished }
        try digest.update(data)
        let result = try digest.finalize()
        finished = result
        return result
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
        let definition = try MechanismDefinition.find(mechanism.type)
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
            let code = try RunningCode(algorithm, key: value, sBox: key.sBox, parameter: mechanism.parameter)
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
        // It goes on from here after the user's consent.
        defer { if consent.draft != nil { signature = operation } }
        switch operation.input {
        case .digest(let digest):
            let digest = try operation.finish(digest, with: data)
            guard let scheme = operation.scheme else { return try sign(digest: digest, with: operation.key) }
            return try sign(digest, scheme, with: operation.key)
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
