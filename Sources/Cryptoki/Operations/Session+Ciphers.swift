// SPDX-License-Identifier: Apache-2.0

package import CCryptoki
import GOST
import HostCrypto
package import Secrets
import Token
import Tokens

extension Session {
    package func encryptInit(_ mechanism: Mechanism, key: CK_OBJECT_HANDLE) throws(CKError) {
        guard encryption == nil else { throw .operationActive }
        encryption = try cipherOperation(mechanism, key: key, .encryption)
    }

    package func decryptInit(_ mechanism: Mechanism, key: CK_OBJECT_HANDLE) throws(CKError) {
        guard decryption == nil else { throw .operationActive }
        decryption = try cipherOperation(mechanism, key: key, .decryption)
    }

    /// The active encryption or decryption.
    package func activeCipher(_ direction: CipherDirection) throws(CKError) -> CipherOperation {
        guard let operation = direction == .encryption ? encryption : decryption else { throw .operationNotInitialised }
        return operation
    }

    /// Runs the last step of an encryption or decryption.
    private func ending(
        _ direction: CipherDirection, _ body: (CipherOperation) throws(CKError) -> Secret
    ) throws(CKError) -> Secret {
        let operation = try activeCipher(direction)
        defer { cancel(direction == .encryption ? CKF_ENCRYPT : CKF_DECRYPT) }
        return try body(operation)
    }

    /// Encrypts or decrypts text that came in one part.
    package func cipher(_ data: Span<UInt8>, _ direction: CipherDirection) throws(CKError) -> Secret {
        try ending(direction) { operation throws(CKError) in try operation.process(data) }
    }

    /// Encrypts or decrypts a further part.
    package func cipherUpdate(_ data: Span<UInt8>, _ direction: CipherDirection) throws(CKError) -> Secret {
        try activeCipher(direction).update(data)
    }

    /// Ends text that came in parts.
    package func cipherFinal(_ direction: CipherDirection) throws(CKError) -> Secret {
        try ending(direction) { operation throws(CKError) in try operation.finalize() }
    }

    private func cipherOperation(
        _ mechanism: Mechanism, key handle: CK_OBJECT_HANDLE, _ direction: CipherDirection
    ) throws(CKError) -> CipherOperation {
        let definition = try slot.mechanism(mechanism.type)
        let permission = direction == .encryption ? CKA_ENCRYPT : CKA_DECRYPT
        if case .rsa(let padding, hash: nil) = definition.work {
            let scheme = try mechanism.encryptionScheme(padding)
            let cipher = try rsaCipher(definition, scheme, handle, permission: permission, direction)
            return CipherOperation(cipher, direction)
        }
        guard case .cipher(let keyType, let mode) = definition.work else {
            throw .mechanismInvalid("the mechanism encrypts nothing")
        }
        let key = try secretKey(handle, for: definition.type, permission: permission, types: [keyType])
        let value = try key.secretValue()
        if keyType == .aes {
            return CipherOperation(try Self.aes(mode, mechanism.parameter, value, direction), direction)
        }
        do throws(GOSTError) {
            let cipher = try Self.cipher(keyType, mode, mechanism.parameter, value.bytes, key.sBox, direction)
            guard let cipher else { throw GOSTError.invalidIVLength }
            return CipherOperation(cipher, direction)
        } catch {
            throw CKError(error)
        }
    }

    private static func aes(
        _ mode: CipherMode, _ parameter: [UInt8], _ key: borrowing Secret, _ direction: CipherDirection
    ) throws(CKError) -> any CipherState {
        if mode == .padded { return try PaddedAES(key: key, iv: parameter, direction) }
        guard mode == .cbc || parameter.isEmpty else {
            throw .mechanismParameterInvalid("the parameter has \(parameter.count) bytes, and must have none")
        }
        return try RunningAES(key: key.bytes, iv: mode == .cbc ? parameter : nil, direction)
    }

    /// - Returns: nil for a parameter that the mechanism does not take.
    static func cipher(
        _ keyType: SecretKeyType, _ mode: CipherMode, _ parameter: [UInt8], _ key: Span<UInt8>, _ sBox: SBox,
        _ direction: CipherDirection
    ) throws(GOSTError) -> (any CipherState)? {
        switch (keyType, mode) {
        case (.gost28147, .ecb) where parameter.isEmpty:
            return RunningCipher(try CipherMessage(.gost28147(sBox), .ecb, key: key), direction)
        case (.magma, .ecb) where parameter.isEmpty:
            return RunningCipher(try CipherMessage(.magma, .ecb, key: key), direction)
        case (.kuznyechik, .ecb) where parameter.isEmpty:
            return RunningCipher(try CipherMessage(.kuznyechik, .ecb, key: key), direction)
        case (.gost28147, .stream):
            let iv = parameter.isEmpty ? [UInt8](repeating: 0, count: 8) : parameter
            return RunningCipher(try stream(sBox, key, iv.span), direction)
        case (.magma, .stream): return try rekeyedCounter(.magma, parameter, key, direction)
        case (.kuznyechik, .stream): return try rekeyedCounter(.kuznyechik, parameter, key, direction)
        case (.magma, .authenticated): return try Authenticated(.magma, key: key, nonce: parameter, direction)
        case (.kuznyechik, .authenticated):
            return try Authenticated(.kuznyechik, key: key, nonce: parameter, direction)
        default: return nil
        }
    }

    /// The mode of the parameter set (RFC 4357, 8.1): of the test set, gamma without key meshing; of the CryptoPro sets A to D,
    /// CFB with it, and of the set Z, as in OpenSSL's engine.
    private static func stream(_ sBox: SBox, _ key: Span<UInt8>, _ iv: Span<UInt8>) throws(GOSTError) -> CipherMessage {
        sBox == .gost28147Test
            ? try CipherMessage(.gost28147(sBox), .cnt, key: key, iv: iv)
            : try CipherMessage(.gost28147(sBox), .cfb, key: key, iv: iv, section: CipherMessage.meshingSection)
    }

    /// CTR-ACPKM (R 1323565.1.017-2018; RFC 8645, 6.2.2). The parameter holds the section in bytes, as a little-endian number of 32 bits, and the IV of half a block. A
    /// section that is not whole blocks, as in the vendor's example, is rounded up.
    private static func rekeyedCounter(
        _ algorithm: CipherAlgorithm, _ parameter: [UInt8], _ key: Span<UInt8>, _ direction: CipherDirection
    ) throws(GOSTError) -> (any CipherState)? {
        let size = algorithm.blockSize
        guard parameter.count == 4 + size / 2 else { return nil }
        let bytes = parameter.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard bytes > 0 else { return nil }
        let section = (bytes + size - 1) / size * size
        let iv = Array(parameter.dropFirst(4))
        return RunningCipher(try CipherMessage(algorithm, .ctr, key: key, iv: iv.span, section: section), direction)
    }
}
