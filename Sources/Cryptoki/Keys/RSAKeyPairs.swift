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
    ///   65537, the only one that tokens make keys with.
    func tokenKind(_ publicKey: Attributes, _ privateKey: Attributes) throws(CKError) -> any CardKey {
        if privateKey[CKA_MODULUS] != nil, let key = try? privateKey.rsaPublicKey() {
            guard let size = RSAKeySize(bits: key.bitCount) else {
                throw .keySizeRange("a key of RSA with \(key.bitCount) bits cannot live on a token")
            }
            return RSAKey(size, modulus: key.modulus, publicExponent: key.publicExponent)
        }
        guard let size = try publicKey.number(CKA_MODULUS_BITS).flatMap({ RSAKeySize(bits: Int(clamping: $0)) }) else {
            throw .keySizeRange("\(publicKey.place(of: CKA_MODULUS_BITS)) is not a length that tokens make keys of")
        }
        guard (publicKey[CKA_PUBLIC_EXPONENT] ?? []).drop(while: { $0 == 0 }).elementsEqual(Self.exponent) else {
            throw .attributeValueInvalid(
                "\(publicKey.place(of: CKA_PUBLIC_EXPONENT)) is not 65537, with which alone tokens make keys")
        }
        return RSAKey(size, publicExponent: Self.exponent)
    }

    func properties(_ privateKey: Attributes) -> TokenKey.Properties { [] }
    var refusal: CKError { .keySizeRange("the token has no keys of this length") }

    func attributes(of key: TokenKey) -> Attributes? {
        guard let kind = key.kind as? RSAKey else { return nil }
        var attributes = Attributes()
        attributes[CKA_MODULUS] = kind.modulus
        attributes[CKA_PUBLIC_EXPONENT] = kind.publicExponent
        if key.half == .publicKey { attributes.set(CKA_MODULUS_BITS, CK_ULONG(kind.size.bits)) }
        return attributes
    }
}

extension Attributes {
    /// The numbers of a key of RSA, as its public half has them.
    func rsaPublicKey() throws(HostCryptoError) -> RSAPublicKey {
        try RSAPublicKey(modulus: self[CKA_MODULUS] ?? [], publicExponent: self[CKA_PUBLIC_EXPONENT] ?? [])
    }
}

/// Key pairs of ECDSA and ECDH (PKCS #11 v2.40 current mechanisms, 2.3).
struct ECKeyPairs: KeyPairKind {
    let type = CKK_EC
    let generation = CKM_EC_KEY_PAIR_GEN
    func signatureSize(_ attributes: Attributes) throws(CKError) -> Int {
        2 * (try attributes.ecCurve().coordinateSize)
    }

    func rules(isPublic: Bool) -> AttributeTable.Rules {
        [CKA_EC_PARAMS: .required, (isPublic ? CKA_EC_POINT : CKA_VALUE): .required]
    }
    func material(isPublic: Bool) -> [CK_ATTRIBUTE_TYPE] { [isPublic ? CKA_EC_POINT : CKA_VALUE] }
    func generationRules(isPublic: Bool) -> AttributeTable.Rules {
        isPublic ? [:] : [CKA_EC_PARAMS: .bytes([], .never)]
    }

    func parameters(_ publicTemplate: Attributes, _ privateTemplate: Attributes) throws(CKError) -> Attributes {
        guard privateTemplate[CKA_EC_PARAMS] ?? publicTemplate[CKA_EC_PARAMS] == publicTemplate[CKA_EC_PARAMS] else {
            throw .templateInconsistent("\(privateTemplate.place(of: CKA_EC_PARAMS)) is not that of the public key")
        }
        var parameters = Attributes()
        parameters[CKA_EC_PARAMS] = publicTemplate[CKA_EC_PARAMS]
        return parameters
    }

    func generate(_ publicKey: Attributes, random: any RandomSource) throws(CKError) -> SessionKey {
        let curve = try publicKey.ecCurve()
        do throws(HostCryptoError) {
            let key = try ECPrivateKey.generate(on: curve, random: random)
            return SessionKey(key)
        } catch {
            throw CKError(error)
        }
    }

    /// A point is kept as an OCTET STRING (PKCS #11 v2.40 current mechanisms, 2.3.3), and comes bare, too.
    func completePublicKey(_ attributes: inout Attributes) throws(CKError) {
        let curve = try attributes.ecCurve()
        do throws(HostCryptoError) {
            let point = try ECPublicKey(curve: curve, bareOrDER: attributes[CKA_EC_POINT] ?? [])
            attributes.set(CKA_EC_POINT, point.octetString)
        } catch {
            guard error != .libraryFailure else { throw .hostFailed }
            throw .attributeValueInvalid("\(attributes.place(of: CKA_EC_POINT)) is not a point of the curve")
        }
    }

    func takePrivateKey(_ attributes: inout Attributes) throws(CKError) -> SessionKey {
        let curve = try attributes.ecCurve()
        do throws(HostCryptoError) {
            let key = try ECPrivateKey(curve: curve, scalar: attributes.take(CKA_VALUE))
            return SessionKey(key)
        } catch {
            guard error != .libraryFailure else { throw .hostFailed }
            throw .attributeValueInvalid("\(attributes.place(of: CKA_VALUE)) is not a private key on the curve")
        }
    }

    func tokenKind(_ publicKey: Attributes, _ privateKey: Attributes) throws(CKError) -> any CardKey {
        let kind = ECKey(publicKey[CKA_EC_PARAMS] ?? [])
        guard kind.files != nil else {
            throw .curveNotSupported("\(publicKey.place(of: CKA_EC_PARAMS)) is not a curve that tokens have keys on")
        }
        return kind
    }

    func properties(_ privateKey: Attributes) -> TokenKey.Properties { privateKey[CKA_DERIVE] == [1] ? .derives : [] }
    var refusal: CKError { .curveNotSupported("the token has no keys on this curve") }

    func attributes(of key: TokenKey) -> Attributes? {
        guard let kind = key.kind as? ECKey else { return nil }
        var attributes = Attributes()
        attributes.set(CKA_EC_PARAMS, kind.parameters)
        if key.half == .privateKey { attributes.set(CKA_DERIVE, key.properties.contains(.derives)) }
        // An uncompressed point in an OCTET STRING.
        if let point = kind.point { attributes.set(CKA_EC_POINT, .object(0x04, [0x04] + point)) }
        return attributes
    }
}

extension Attributes {
    /// The curve that `CKA_EC_PARAMS` names.
    ///
    /// - Throws: `CKR_CURVE_NOT_SUPPORTED` for an unknown one, `CKR_DOMAIN_PARAMS_INVALID` for malformed parameters.
    func ecCurve() throws(CKError) -> ECCurve {
        let parameters = self[CKA_EC_PARAMS] ?? []
        if let curve = ECCurve(oid: parameters) { return curve }
        let isName =
            parameters.count > 2 && [0x06, 0x13].contains(parameters[0]) && Int(parameters[1]) == parameters.count - 2
        throw isName
            ? .curveNotSupported("\(place(of: CKA_EC_PARAMS)) names a curve on which there are no keys here")
            : .domainParametersInvalid("\(place(of: CKA_EC_PARAMS)) names no curve")
    }
}
