// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import GOST
import HostCrypto
import Secrets

/// How a text is padded before RSA encrypts it.
public enum EncryptionPadding: Sendable, Hashable {
    /// RSAES-PKCS1-v1_5 (RFC 8017, 7.2). A program that decrypts for strangers must not tell them whether the padding was
    /// right, nor let them measure it (Bleichenbacher, 1998).
    case pkcs1
    /// RSAES-OAEP (RFC 8017, 7.1). The mask is by MGF1 with the same hash function.
    case oaep(SHA2, label: [UInt8] = [])
}

/// How two sides agree on a secret, each with its own private key and the other's public key.
public enum KeyAgreement: Sendable, Hashable {
    /// VKO_GOSTR3410_2012_256 (RFC 7836, 4.3.1), by keys of GOST R 34.10-2012 on the same curve. The secret has 32
    /// bytes. The UKM is a number, little-endian, of at most as many bytes as a coordinate.
    case vko256(ukm: [UInt8])
    /// VKO_GOSTR3410_2012_512 (RFC 7836, 4.3.2), by keys of 512 bits. The secret has 64 bytes.
    case vko512(ukm: [UInt8])
    /// ECDH on P-256 (SEC 1, 3.3.1). The secret is the x coordinate, 32 bytes, and goes through a key derivation
    /// function of the caller's.
    case ecdh
}

extension Session {
    /// Decrypts with an RSA key of the token.
    ///
    /// - Parameter ciphertext: As many bytes as the modulus has.
    /// - Throws: ``KanalError/refused(code:reason:)`` for an invalid ciphertext.
    public func decrypt(
        _ ciphertext: [UInt8], with key: KeyPair, padding: EncryptionPadding
    ) throws(KanalError) -> SecretBytes {
        guard case .rsa = key.kind else { throw .invalidArgument("only keys of RSA decrypt") }
        let handle = try handle(of: key.privateKey)
        let plaintext = try call { session throws(CKError) in
            session.cancel(CKF_DECRYPT)
            try session.decryptInit(padding.mechanism, key: handle)
            let plaintext = try session.cipher(ciphertext.span, .decryption)
            return SharedSecret(plaintext)
        }
        return SecretBytes(plaintext)
    }

    /// Agrees on a secret with the owner of another key.
    ///
    /// The token computes, by a command that no vendor has published: only emulated tokens are known to have it, and others
    /// give ``KanalError/refused(code:reason:)``.
    ///
    /// - Parameters:
    ///   - peer: The other's public key, a SubjectPublicKeyInfo in DER.
    ///   - key: A key pair that was made with `canAgree`.
    /// - Throws: ``KanalError/invalidArgument(_:)`` for a public key that cannot be read or is of another kind;
    ///   ``KanalError/refused(code:reason:)`` for one on another curve, or a key that may not agree.
    public func agree(
        by agreement: KeyAgreement, with peer: [UInt8], using key: KeyPair
    ) throws(KanalError) -> SecretBytes {
        let mechanism = try agreement.mechanism(with: peer, key.kind)
        let handle = try handle(of: key.privateKey)
        let secret = try call { session throws(CKError) -> SharedSecret? in
            let derived = try session.deriveKey(mechanism, from: handle, template: agreement.template())
            // It is an object of the session until it has been read.
            defer { try? session.destroyObject(derived) }
            return try session.attributes(of: derived, types: [CKA_VALUE]).secret(CKA_VALUE)
        }
        guard let secret else { throw .objectNotFound }
        return SecretBytes(secret)
    }
}

extension EncryptionPadding {
    fileprivate var mechanism: Mechanism {
        switch self {
        case .pkcs1: Mechanism(CKM_RSA_PKCS)
        case .oaep(let hash, let label):
            Mechanism(
                type: CKM_RSA_PKCS_OAEP, parameter: [],
                structure: .oaep(
                    OAEPParameters(
                        hash: hash.values.hash, maskGeneration: hash.values.mask,
                        source: CK_ULONG(CKZ_DATA_SPECIFIED), label: label)))
        }
    }
}

extension KeyAgreement {
    /// The attributes of the secret until it has been read.
    fileprivate func template() throws(CKError) -> Attributes {
        let size: CK_ULONG = if case .vko512 = self { 64 } else { 32 }
        return try Attributes(template: [(CKA_KEY_TYPE, CKK_GENERIC_SECRET.bytes), (CKA_VALUE_LEN, size.bytes)])
    }

    fileprivate func mechanism(with peer: [UInt8], _ kind: KeyKind) throws(KanalError) -> Mechanism {
        let info: PublicKeyInfo
        do throws(HostCryptoError) { info = try PublicKeyInfo(der: peer.span) } catch {
            throw .invalidArgument("the other side's public key cannot be read")
        }
        return switch (self, info, kind) {
        case (.vko256(let ukm), .gost(let info), .gost256), (.vko256(let ukm), .gost(let info), .gost512):
            Mechanism(CKM_GOSTR3410_12_DERIVE, info.key.bytes, ukm)
        case (.vko512(let ukm), .gost(let info), .gost512):
            Mechanism(CKM_VKO_GOSTR3410_2012_512, info.key.bytes, ukm)
        case (.ecdh, .ec(let key), .p256): Mechanism(CKM_ECDH1_DERIVE, key.octetString, [])
        default: throw .invalidArgument("the keys do not agree on a secret so")
        }
    }
}

extension Mechanism {
    fileprivate init(_ agreement: CK_MECHANISM_TYPE, _ peer: [UInt8], _ ukm: [UInt8]) {
        let parameters = AgreementParameters(derivation: CK_ULONG(CKD_NULL), publicData: peer, ukm: ukm)
        self.init(type: agreement, parameter: [], structure: .agreement(parameters))
    }
}
