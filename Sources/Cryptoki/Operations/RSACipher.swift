// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import HostCrypto
import Secrets

/// Encryption with a public key of RSA. The text is one block.
final class RSAEncryption: RunningCipher {
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
final class RSADecryption: RunningCipher {
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
    ) throws(CKError) -> any RunningCipher {
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
