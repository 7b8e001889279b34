// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import GOST
import HostCrypto
import Secrets
import Tokens

/// How a text is padded before RSA encrypts it.
public enum EncryptionPadding: Sendable, Hashable {
    /// RSAES-PKCS1-v1_5 (RFC 8017, 7.2). A program that decrypts for strangers must not reveal to them whether the
    /// padding was right, nor let them measure it (Bleichenbacher, 1998).
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
        let (scheme, mechanism) = padding.scheme
        return SecretBytes(
            try call { session throws(TokensError) in
                let plaintext = try session.decrypt(
                    ciphertext, scheme, mechanism: mechanism, with: key.privateKey.object)
                return SharedSecret(plaintext)
            })
    }

    /// Agrees on a secret with the owner of another key.
    ///
    /// The token computes, by a command that no vendor has published: only emulated tokens are known to have it, and others
    /// give ``KanalError/refused(code:reason:)``.
    ///
    /// - Parameters:
    ///   - peer: The other's public key, a SubjectPublicKeyInfo in DER.
    ///   - key: A key pair that was made with `canAgree`, or imported with `agrees`.
    /// - Throws: ``KanalError/invalidArgument(_:)`` for a public key that cannot be read or is of another kind;
    ///   ``KanalError/refused(code:reason:)`` for one on another curve, or a key that may not agree.
    public func agree(
        by agreement: KeyAgreement, with peer: [UInt8], using key: KeyPair
    ) throws(KanalError) -> SecretBytes {
        let info: PublicKeyInfo
        do throws(HostCryptoError) { info = try PublicKeyInfo(der: peer.span) } catch {
            throw .invalidArgument("the other side's public key cannot be read")
        }
        let (ukm, hash, mechanism) = try agreement.parameters(with: info, key.kind)
        return SecretBytes(
            try call { session throws(TokensError) in
                let secret = try session.agree(
                    with: info, ukm: ukm, hash: hash, mechanism: mechanism, using: key.privateKey.object)
                return SharedSecret(secret)
            })
    }
}

extension EncryptionPadding {
    /// The scheme, and the number of its mechanism in PKCS #11.
    fileprivate var scheme: (RSAEncryptionScheme, mechanism: CK_MECHANISM_TYPE) {
        switch self {
        case .pkcs1: (.pkcs1, CKM_RSA_PKCS)
        case .oaep(let hash, let label):
            (.oaep(hash: hash.algorithm, mask: hash.algorithm, label: label), CKM_RSA_PKCS_OAEP)
        }
    }
}

extension KeyAgreement {
    /// The parameters of the agreement, and the number of its mechanism in PKCS #11.
    fileprivate func parameters(
        with peer: PublicKeyInfo, _ kind: KeyKind
    ) throws(KanalError) -> (ukm: [UInt8], hash: HashAlgorithm?, mechanism: CK_MECHANISM_TYPE) {
        switch (self, peer, kind) {
        case (.vko256(let ukm), .gost, .gost256), (.vko256(let ukm), .gost, .gost512):
            (ukm, .streebog256, CKM_GOSTR3410_12_DERIVE)
        case (.vko512(let ukm), .gost, .gost512): (ukm, .streebog512, CKM_VKO_GOSTR3410_2012_512)
        case (.ecdh, .ec, .p256): ([], nil, CKM_ECDH1_DERIVE)
        default: throw .invalidArgument("the keys do not agree on a secret so")
        }
    }
}
