// SPDX-License-Identifier: Apache-2.0

import APDU
import CCryptoki
import HostCrypto
import Secrets
import Token
import Tokens

/// Key pairs of RSA (PKCS #11 v2.40 current mechanisms, 2.1).
struct RSAKeyPairs: KeyPairKind {
    let type = CKK_RSA
    let generation = CKM_RSA_PKCS_KEY_PAIR_GEN
    let encrypts = true
    let settlesAgreement = false
    func signatureSize(_ attributes: Attributes) throws(CKError) -> Int { 0 }

    private static let factors = [CKA_PRIME_1, CKA_PRIME_2, CKA_EXPONENT_1, CKA_EXPONENT_2, CKA_COEFFICIENT]
    var secretAttributes: [CK_ATTRIBUTE_TYPE] { [CKA_PRIVATE_EXPONENT] + Self.factors }
    /// The public exponent of a key pair whose template names none.
    private static let exponent: [UInt8] = [1, 0, 1]

    func rules(isPublic: Bool) -> AttributeTable.Rules {
        guard !isPublic else {
            return [
                CKA_MODULUS: .required, CKA_PUBLIC_EXPONENT: .required, CKA_MODULUS_BITS: .readOnly(.number, []),
            ]
        }
        // A private key's public exponent follows from the factors.
        let exponent = AttributeRule(form: .bytes, presence: .computed, change: .never)
        return [CKA_MODULUS: .required, CKA_PUBLIC_EXPONENT: exponent, CKA_PRIVATE_EXPONENT: .required]
            .adding(AttributeTable.Rules(uniqueKeysWithValues: Self.factors.map { ($0, .bytes([], .never)) }))
    }
    func material(isPublic: Bool) -> [CK_ATTRIBUTE_TYPE] {
        isPublic ? [CKA_MODULUS] : [CKA_MODULUS, CKA_PUBLIC_EXPONENT] + secretAttributes
    }
    func generationRules(isPublic: Bool) -> AttributeTable.Rules {
        isPublic ? [CKA_PUBLIC_EXPONENT: .bytes(Self.exponent, .never), CKA_MODULUS_BITS: .requiredNumber] : [:]
    }

    /// The private template can repeat the public exponent.
    func share(_ publicTemplate: inout Attributes, _ privateTemplate: inout Attributes) throws(CKError) {
        guard let repeated = privateTemplate[CKA_PUBLIC_EXPONENT] else { return }
        let exponent = publicTemplate[CKA_PUBLIC_EXPONENT] ?? Self.exponent
        guard repeated.drop(while: { $0 == 0 }).elementsEqual(exponent.drop { $0 == 0 }) else {
            throw .templateInconsistent("the private template has a different CKA_PUBLIC_EXPONENT")
        }
        privateTemplate[CKA_PUBLIC_EXPONENT] = nil
    }

    func parameters(_ publicTemplate: Attributes, _ privateTemplate: Attributes) -> Attributes { Attributes() }

    func generate(_ publicKey: Attributes, random: any RandomSource) throws(CKError) -> SessionKey {
        let bits = try publicKey.number(CKA_MODULUS_BITS).map { Int(clamping: $0) } ?? 0
        do throws(HostCryptoError) {
            let key = try RSAPrivateKey(generating: bits, publicExponent: publicKey[CKA_PUBLIC_EXPONENT] ?? [])
            return SessionKey(key)
        } catch {
            throw error == .invalidParameter
                ? .attributeValueInvalid("\(publicKey.place(of: CKA_PUBLIC_EXPONENT)) is not a public exponent")
                : CKError(error)
        }
    }

    func completePublicKey(_ attributes: inout Attributes) throws(CKError) {
        do throws(HostCryptoError) {
            attributes.set(CKA_MODULUS_BITS, CK_ULONG(try attributes.rsaPublicKey().bitCount))
        } catch {
            guard error != .libraryFailure else { throw .hostFailed }
            throw .attributeValueInvalid(
                "\(attributes.place(of: CKA_MODULUS)) and CKA_PUBLIC_EXPONENT are not a key of RSA")
        }
    }

    func takePrivateKey(_ attributes: inout Attributes) throws(CKError) -> SessionKey {
        let given = Self.factors.count { attributes[$0]?.isEmpty == false }
        guard given == 0 || given == Self.factors.count else {
            throw .templateIncomplete("of CKA_PRIME_1 to CKA_COEFFICIENT \(given) have a value, and all or none must")
        }
        guard given > 0 || attributes[CKA_PUBLIC_EXPONENT] != nil else {
            throw .templateIncomplete("CKA_PUBLIC_EXPONENT is missing, and so are CKA_PRIME_1 to CKA_COEFFICIENT")
        }
        var components = RSAComponents(
            modulus: attributes[CKA_MODULUS] ?? [], publicExponent: attributes[CKA_PUBLIC_EXPONENT] ?? [],
            privateExponent: attributes.take(CKA_PRIVATE_EXPONENT), factors: nil)
        do throws(HostCryptoError) {
            if given > 0 {
                let factors = RSAFactors(
                    prime1: attributes.take(CKA_PRIME_1), prime2: attributes.take(CKA_PRIME_2),
                    exponent1: attributes.take(CKA_EXPONENT_1), exponent2: attributes.take(CKA_EXPONENT_2),
                    coefficient: attributes.take(CKA_COEFFICIENT))
                if attributes[CKA_PUBLIC_EXPONENT] == nil {
                    components.publicExponent = try factors.publicExponent()
                    attributes.set(CKA_PUBLIC_EXPONENT, components.publicExponent)
                }
                components.factors = consume factors
            }
            for type in Self.factors { attributes[type] = nil }
            let key = try RSAPrivateKey(components)
            return SessionKey(key)
        } catch {
            guard error != .libraryFailure else { throw .hostFailed }
            throw .attributeValueInvalid(
                "\(attributes.place(of: CKA_MODULUS)) and the other numbers are not a key of RSA")
        }
    }

    /// - Throws: `CKR_KEY_SIZE_RANGE`; `CKR_ATTRIBUTE_VALUE_INVALID` for a new pair with a public exponent other than
    ///   65537: tokens generate keys with no other exponent.
    func tokenKind(_ publicKey: Attributes, _ privateKey: Attributes) throws(CKError) -> CardKey {
        if privateKey[CKA_MODULUS] != nil, let key = try? privateKey.rsaPublicKey() {
            guard let size = RSAKeySize(bits: key.bitCount) else {
                throw .keySizeRange("a key of RSA with \(key.bitCount) bits cannot live on a token")
            }
            return .rsa(RSAKey(size, modulus: key.modulus, publicExponent: key.publicExponent))
        }
        guard let size = try publicKey.number(CKA_MODULUS_BITS).flatMap({ RSAKeySize(bits: Int(clamping: $0)) }) else {
            throw .keySizeRange("\(publicKey.place(of: CKA_MODULUS_BITS)) is not a length that tokens make keys of")
        }
        guard (publicKey[CKA_PUBLIC_EXPONENT] ?? []).drop(while: { $0 == 0 }).elementsEqual(Self.exponent) else {
            throw .attributeValueInvalid(
                "\(publicKey.place(of: CKA_PUBLIC_EXPONENT)) is not 65537, with which alone tokens make keys")
        }
        return .rsa(RSAKey(size, publicExponent: Self.exponent))
    }

    func properties(_ privateKey: Attributes) -> TokenKey.Properties { [] }
    var refusal: CKError { .keySizeRange("the token has no keys of this length") }
}
