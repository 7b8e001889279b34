// SPDX-License-Identifier: Apache-2.0

import CCryptoki
import GOST
import HostCrypto
import Secrets
import Token
import Tokens

/// An encryption or decryption (PKCS #11 v2.40, 5.8 and 5.9).
package final class CipherOperation {
    private let cipher: any CipherState
    private let direction: CipherDirection
    /// Bytes that wait for the rest of their block, or of the text.
    private var pending: [UInt8] = []
    private(set) var isMultiPart = false
    /// The result that a question for the length has computed. It is computed once, and given out once.
    private var answer: Answer?

    /// A text and the cipher's result.
    private final class Answer {
        let text: [UInt8]
        let result: Secret

        init(_ text: [UInt8], _ result: consuming Secret) {
            self.text = text
            self.result = result
        }
    }

    init(_ cipher: any CipherState, _ direction: CipherDirection) {
        self.cipher = cipher
        self.direction = direction
    }

    deinit { pending.wipe() }

    /// The number of bytes that the text as a whole produces, or a limit.
    package func size(ofWhole count: Int) throws(CKError) -> Int {
        guard !isMultiPart else { throw .operationActive }
        return cipher.outputSize(for: count)
    }

    /// As ``size(ofWhole:)``, exactly, unless the key cannot be used yet.
    package func exactSize(of data: Span<UInt8>) throws(CKError) -> Int {
        let limit = try size(ofWhole: data.count)
        return cipher.knowsOutputSize ? limit : try exactSize(of: [UInt8](copying: data), atMost: limit)
    }

    private func exactSize(of text: [UInt8], atMost limit: Int) throws(CKError) -> Int {
        guard !cipher.knowsOutputSize, (try? cipher.checkUse()) != nil else { return limit }
        if let answer, answer.text == text { return answer.result.count }
        let result = try cipher.process(text.span)
        let count = result.count
        answer = Answer(text, result)
        return count
    }

    /// The cipher's result for a text that comes as a whole.
    private func result(of text: [UInt8]) throws(CKError) -> Secret {
        guard let known = answer.take(), known.text == text else { return try cipher.process(text.span) }
        try cipher.checkUse()
        return known.result.copy()
    }

    /// The number of bytes that a further part produces.
    package func size(ofPart count: Int) -> Int {
        guard let granularity = cipher.granularity else { return 0 }
        return (pending.count + count) / granularity * granularity
    }

    /// The number of bytes that the end produces, or a limit.
    package var finalSize: Int { cipher.granularity == nil ? cipher.outputSize(for: pending.count) : 0 }

    /// As ``finalSize``, exactly, unless the key cannot be used yet.
    package func exactFinalSize() throws(CKError) -> Int { try exactSize(of: pending, atMost: finalSize) }

    func process(_ data: Span<UInt8>) throws(CKError) -> Secret {
        guard let granularity = cipher.granularity else {
            return answer == nil ? try cipher.process(data) : try result(of: [UInt8](copying: data))
        }
        guard data.count % granularity == 0 else { throw direction.lengthRange }
        return try cipher.process(data)
    }

    func update(_ data: Span<UInt8>) throws(CKError) -> Secret {
        isMultiPart = true
        answer = nil
        let size = size(ofPart: data.count)
        guard cipher.granularity == nil || !pending.isEmpty || size < data.count else {
            return try cipher.process(data)
        }
        for index in data.indices { pending.append(data[index]) }
        guard cipher.granularity != nil else { return Secret(count: 0) }
        var text: [UInt8] = []
        swap(&text, &pending)
        defer { text.wipe() }
        for byte in text.dropFirst(size) { pending.append(byte) }
        return try cipher.process(text.span.extracting(first: size))
    }

    func finalize() throws(CKError) -> Secret {
        guard cipher.granularity != nil else { return try result(of: pending) }
        guard pending.isEmpty else { throw direction.lengthRange }
        return Secret(count: 0)
    }
}

/// Encryption with a public key of RSA. The text is one block.
final class RSAEncryption: CipherState {
    private let key: RSAPublicKey
    private let scheme: RSAEncryptionScheme
    let granularity: Int? = nil

    init(_ key: RSAPublicKey, _ scheme: RSAEncryptionScheme) {
        self.key = key
        self.scheme = scheme
    }

    func outputSize(for count: Int) -> Int { key.size }

    func process(_ data: Span<UInt8>) throws(CKError) -> Secret {
        do throws(HostCryptoError) { return Secret(copying: try key.encrypt(data, scheme)) } catch {
            throw CKError(error)
        }
    }
}

/// Decryption with a private key of RSA, wherever it lives.
final class RSADecryption: CipherState {
    private unowned let session: Session
    private let key: Object
    private let scheme: RSAEncryptionScheme
    private let capacity: Int
    let granularity: Int? = nil

    init(_ session: Session, _ key: Object, _ scheme: RSAEncryptionScheme, capacity: Int) {
        self.session = session
        self.key = key
        self.scheme = scheme
        self.capacity = capacity
    }

    func outputSize(for count: Int) -> Int { capacity }

    var knowsOutputSize: Bool { scheme == .raw }

    func checkUse() throws(CKError) { try session.requireUsable(key) }

    func process(_ data: Span<UInt8>) throws(CKError) -> Secret {
        try session.decrypt(data, scheme, with: key)
    }
}

extension Session {
    /// The cipher of a key of RSA, checked for its type, its length and the permission to be used so.
    func rsaCipher(
        _ definition: MechanismDefinition, _ scheme: RSAEncryptionScheme, _ handle: CK_OBJECT_HANDLE,
        permission: CK_ATTRIBUTE_TYPE, _ direction: CipherDirection
    ) throws(CKError) -> any CipherState {
        let objectClass = direction == .encryption ? CKO_PUBLIC_KEY : CKO_PRIVATE_KEY
        let key = try operationKey(
            handle, for: definition.type, class: objectClass, permission: permission, keyTypes: [.rsa])
        let bitCount = try definition.bitCount(of: key)
        do throws(HostCryptoError) {
            let capacity = try scheme.capacity(of: (bitCount + 7) / 8)
            guard direction == .encryption else { return RSADecryption(self, key, scheme, capacity: capacity) }
            return RSAEncryption(try key.attributes.rsaPublicKey(), scheme)
        } catch {
            throw CKError(error)
        }
    }
}

extension Attributes {
    /// The hash function of the agreement with a key, by the key's own standard.
    var agreementHash: HashAlgorithm {
        self[CKA_GOSTR3411_PARAMS] == HashAlgorithm.gostR341194.oid ? .gostR341194 : .streebog256
    }
}

extension HashAlgorithm {
    /// The agreement on 32 bytes with this hash function.
    var derivation: KeyDerivation { self == .gostR341194 ? .vko2001 : .vko2012256 }
}

extension SessionKey {
    /// The public key of GOST R 34.10, of the standard that the hash function belongs to.
    func publicKeyInfo(for hash: HashAlgorithm) throws(CKError) -> SubjectPublicKeyInfo {
        let publicKey: PublicKey
        switch material {
        case .gost(let key): do { publicKey = try key.publicKey() } catch { throw CKError(error) }
        default: throw .keyTypeInconsistent("the key is not of GOST R 34.10")
        }
        let algorithm: PublicKeyAlgorithm =
            switch (hash, publicKey.curve.coordinateSize) {
            case (.gostR341194, _): .gostR34102001
            case (_, 64): .gostR34102012512
            default: .gostR34102012256
            }
        // A key can name a hash function that is not of its curve's standard.
        do { return try SubjectPublicKeyInfo(algorithm: algorithm, key: publicKey) } catch {
            throw .wrappingKeyTypeInconsistent("the key's CKA_GOSTR3411_PARAMS is not of its curve's standard")
        }
    }
}
