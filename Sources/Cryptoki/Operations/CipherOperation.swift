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

    /// The number of bytes that the text as a whole gives, or a limit.
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

    /// The number of bytes that a further part gives.
    package func size(ofPart count: Int) -> Int {
        guard let granularity = cipher.granularity else { return 0 }
        return (pending.count + count) / granularity * granularity
    }

    /// The number of bytes that the end gives, or a limit.
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

/// Key transport with keys of GOST R 34.10 (PKCS #11 v2.40 current mechanisms, 2.24.9; RFC 4490, 4.2). The receiver's
/// key and the sender's agree on a key that wraps. The sender's is ephemeral unless the parameter names one.
struct KeyTransportCipher {
    unowned let session: Session
    let mechanism: Mechanism
    /// The receiver's public or private key.
    let key: Object

    private var parameters: KeyTransportParameters {
        if case .transport(let parameters) = mechanism.structure { parameters } else { KeyTransportParameters() }
    }

    func wrap(_ value: borrowing Secret) throws(CKError) -> [UInt8] {
        let ukm = try parameters.ukm.isEmpty ? randomUKM() : parameters.ukm
        let peer = try key.attributes.gostPublicKey()
        let agreement = AgreementParameters(derivation: CK_ULONG(CKD_NULL), publicData: peer.bytes, ukm: ukm)
        let sBox = try parameters.sBox ?? key.sBox
        let hash = key.attributes.agreementHash
        var ephemeralKey: SubjectPublicKeyInfo?
        let kek: Secret
        if parameters.key == CK_INVALID_HANDLE {
            let sender = try KeyType(peer.curve).kind.generate(key.attributes, random: session.slot.settings.random)
            ephemeralKey = try sender.publicKeyInfo(for: hash)
            kek = try agreement.agree(size: peer.curve.coordinateSize, hash.derivation, sBox: sBox) {
                _, ukm, hash throws(CKError) in
                try sender.agree(with: peer, ukm: ukm, hash)
            }
        } else {
            kek = try session.agree(agreement, hash.derivation, sBox: sBox, with: sender())
        }
        do throws(GOSTError) {
            let wrapped = try GOST28147KeyWrap.cryptoPro.wrap(value.bytes, kek: kek.bytes, ukm: ukm.span, sBox: sBox)
            return try KeyTransport(wrapped: [UInt8](copying: wrapped), sBox: sBox, ephemeralKey: ephemeralKey).der
        } catch {
            throw error == .invalidKeyLength
                ? .keySizeRange("the key to wrap has \(value.count) bytes")
                : .mechanismParameterInvalid("pUKM has \(ukm.count) bytes")
        }
    }

    func unwrap(_ wrapped: [UInt8]) throws(CKError) -> Secret {
        let transport: KeyTransport
        do { transport = try KeyTransport(der: wrapped.span) } catch {
            throw .wrappedKeyInvalid("the wrapped key is not a GostR3410-KeyTransport in DER")
        }
        var peer = transport.ephemeralKey?.key
        var hash = key.attributes.agreementHash
        if let info = transport.ephemeralKey {
            hash = info.algorithm.algorithm == .gostR34102001 ? .gostR341194 : .streebog256
        } else if parameters.key != CK_INVALID_HANDLE {
            guard let sender = try? session.slot.visibleObject(parameters.key) else {
                throw .keyHandleInvalid("hKey of the parameter is the handle of no object")
            }
            peer = try sender.attributes.gostPublicKey()
        }
        guard let peer else {
            throw .mechanismParameterInvalid(
                "the wrapped key has no ephemeral key, and the parameter names none by hKey")
        }
        let agreement = AgreementParameters(
            derivation: CK_ULONG(CKD_NULL), publicData: peer.bytes, ukm: Array(transport.wrapped.prefix(8)))
        let kek: Secret
        do throws(CKError) {
            kek = try session.agree(agreement, hash.derivation, sBox: transport.sBox, with: key)
        } catch {
            throw error.rawValue == CKR_MECHANISM_PARAM_INVALID
                ? .wrappedKeyInvalid("the ephemeral key does not go with the key that unwraps") : error
        }
        do {
            return try GOST28147KeyWrap.cryptoPro.unwrap(transport.wrapped.span, kek: kek.bytes, sBox: transport.sBox)
        } catch {
            throw .wrappedKeyInvalid("the wrapped key does not belong to the key that unwraps")
        }
    }

    /// The private key that the parameter names.
    private func sender() throws(CKError) -> Object {
        try session.operationKey(
            parameters.key, for: mechanism.type, class: CKO_PRIVATE_KEY, permission: CKA_DERIVE,
            keyTypes: [.gostR3410, .gostR3410With512Bits])
    }

    private func randomUKM() throws(CKError) -> [UInt8] {
        guard let ukm = try? session.slot.settings.random.bytes(8) else { throw .functionFailed }
        return ukm
    }
}

extension Attributes {
    /// The hash function of the agreement with a key: that of its own standard.
    fileprivate var agreementHash: HashAlgorithm {
        self[CKA_GOSTR3411_PARAMS] == HashAlgorithm.gostR341194.oid ? .gostR341194 : .streebog256
    }
}

extension HashAlgorithm {
    /// The agreement on 32 bytes with this hash function.
    fileprivate var derivation: KeyDerivation { self == .gostR341194 ? .vko2001 : .vko2012256 }
}

extension SessionKey {
    /// The public key of GOST R 34.10, of the standard that the hash function belongs to.
    fileprivate func publicKeyInfo(for hash: HashAlgorithm) throws(CKError) -> SubjectPublicKeyInfo {
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
