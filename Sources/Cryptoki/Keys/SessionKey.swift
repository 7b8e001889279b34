// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import GOST
import HostCrypto
import Secrets
import Token
import Tokens

/// A key that lives in this process.
final class SessionKey {
    enum Material: ~Copyable {
        case gost(PrivateKey)
        case rsa(RSAPrivateKey)
        case ec(ECPrivateKey)
        case secret(Secret)
    }

    let material: Material

    init(_ key: consuming PrivateKey) { material = .gost(key) }
    init(_ key: consuming RSAPrivateKey) { material = .rsa(key) }
    init(_ key: consuming ECPrivateKey) { material = .ec(key) }
    init(_ secret: consuming Secret) { material = .secret(secret) }

    /// The signature of a digest by GOST R 34.10 (s ‖ r) or by ECDSA (r ‖ s), each number big-endian.
    func sign(digest: [UInt8], random: any RandomSource) throws(CKError) -> [UInt8] {
        switch material {
        case .gost(let key):
            do { return try key.sign(digest: digest.span, random: random) } catch { throw CKError(error) }
        case .ec(let key):
            do { return try key.sign(digest.span) } catch { throw CKError(error) }
        default: throw .keyTypeInconsistent("the key is of another type")
        }
    }

    func sign(_ input: [UInt8], _ scheme: RSASignatureScheme) throws(CKError) -> [UInt8] {
        switch material {
        case .rsa(let key): do { return try key.sign(input.span, scheme) } catch { throw CKError(error) }
        default: throw .keyTypeInconsistent("the key is of another type")
        }
    }

    func decrypt(_ ciphertext: Span<UInt8>, _ scheme: RSAEncryptionScheme) throws(CKError) -> Secret {
        switch material {
        case .rsa(let key):
            do { return try key.decrypt(ciphertext, scheme) } catch { throw CKError(decryption: error) }
        default: throw .keyTypeInconsistent("the key is of another type")
        }
    }

    /// The shared secret of ECDH.
    func sharedSecret(with peer: ECPublicKey) throws(CKError) -> Secret {
        switch material {
        case .ec(let key): do { return try key.sharedSecret(with: peer) } catch { throw CKError(error) }
        default: throw .keyTypeInconsistent("the key is of another type")
        }
    }

    /// The secret that the key and the other side's public key, on the same curve, agree on.
    func agree(with peer: PublicKey, ukm: [UInt8], _ hash: HashAlgorithm) throws(CKError) -> Secret {
        switch material {
        case .gost(let key):
            do throws(GOSTError) { return try key.vko(with: peer, ukm: ukm.span, hash: hash) } catch {
                // A multiple of the group's order.
                throw error == .libraryFailure
                    ? .functionFailed : .mechanismParameterInvalid("pUKM of \(ukm.count) bytes is 0 on the curve")
            }
        default: throw .keyTypeInconsistent("the key is of another type")
        }
    }

    /// A secret key's value.
    func secret() throws(CKError) -> Secret {
        switch material {
        case .secret(let secret): return secret.copy()
        default: throw .keyTypeInconsistent("the key is of another type")
        }
    }
}

/// The numbers of a key, as attributes.
extension SessionKey {
    /// The numbers of the public half of a key pair.
    func publicValues() throws(CKError) -> Attributes {
        var values = Attributes()
        switch material {
        case .gost(let key):
            let publicKey: PublicKey
            do throws(GOSTError) { publicKey = try key.publicKey() } catch { throw CKError(error) }
            values.set(CKA_VALUE, publicKey.bytes)
        case .rsa(let key):
            values.set(CKA_MODULUS, key.publicKey.modulus)
            values.set(CKA_PUBLIC_EXPONENT, key.publicKey.publicExponent)
        case .ec(let key): values.set(CKA_EC_POINT, key.publicKey.octetString)
        case .secret: break
        }
        return values
    }

    /// A private key's value in the form that a token imports.
    func tokenValue() throws(CKError) -> Secret {
        switch material {
        case .gost(let key): return key.scalar.copy()
        case .ec(let key): return key.scalar.copy()
        case .rsa(let key): return try key.tokenValue()
        case .secret: throw .templateInconsistent("the key is not a private key")
        }
    }

    /// The attributes that must not be read of a key that is sensitive or cannot be extracted.
    func secretValues() throws(CKError) -> Attributes {
        var values = Attributes()
        switch material {
        case .gost(let key): values.set(CKA_VALUE, key.scalar)
        case .ec(let key): values.set(CKA_VALUE, key.scalar)
        case .secret(let secret): values.set(CKA_VALUE, secret)
        case .rsa(let key):
            do throws(HostCryptoError) {
                let components = try key.components()
                values.set(components)
            } catch {
                throw CKError(error)
            }
        }
        return values
    }
}

extension Attributes {
    /// Enters the secret numbers of a key of RSA.
    mutating func set(_ components: borrowing RSAComponents) {
        set(CKA_PRIVATE_EXPONENT, components.privateExponent)
        switch components.factors {
        case .none: break
        case .some(let factors):
            set(CKA_PRIME_1, factors.prime1)
            set(CKA_PRIME_2, factors.prime2)
            set(CKA_EXPONENT_1, factors.exponent1)
            set(CKA_EXPONENT_2, factors.exponent2)
            set(CKA_COEFFICIENT, factors.coefficient)
        }
    }
}

extension RSAPrivateKey {
    /// - Throws: `CKR_TEMPLATE_INCOMPLETE` for a key without its factors, which tokens compute with.
    fileprivate borrowing func tokenValue() throws(CKError) -> Secret {
        do throws(HostCryptoError) {
            var components = try components()
            guard let factors = components.factors.take(), let size = RSAKeySize(bits: publicKey.bitCount) else {
                throw HostCryptoError.invalidKey
            }
            return size.privateValue(factors)
        } catch {
            throw error == .invalidKey
                ? .templateIncomplete("a token computes with CKA_PRIME_1 to CKA_COEFFICIENT, which are missing")
                : CKError(error)
        }
    }
}
