// SPDX-License-Identifier: Apache-2.0

import CCryptoki
import GOST
import HostCrypto
import Secrets
import Token

/// The types of key pairs. Each kind of keys has a file for its differences.
enum KeyType: Sendable, CaseIterable {
    /// GOST R 34.10-2001 and 2012 with 256 bits.
    case gostR3410
    /// GOST R 34.10-2012 with 512 bits.
    case gostR3410With512Bits
    case rsa
    /// ECDSA and ECDH.
    case ec

    var kind: any KeyPairKind {
        switch self {
        case .gostR3410: GOSTKeyPairs(is512: false)
        case .gostR3410With512Bits: GOSTKeyPairs(is512: true)
        case .rsa: RSAKeyPairs()
        case .ec: ECKeyPairs()
        }
    }

    /// - Returns: nil for a type that this library has no key pairs of.
    init?(_ rawValue: CK_KEY_TYPE) {
        guard let type = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = type
    }

    init(_ curve: Curve) { self = curve.coordinateSize == 64 ? .gostR3410With512Bits : .gostR3410 }

    var rawValue: CK_KEY_TYPE { kind.type }
}

/// The meaning of a kind of key pairs in PKCS #11.
protocol KeyPairKind: Sendable {
    /// `CKK_`.
    var type: CK_KEY_TYPE { get }
    /// The mechanism that makes such pairs.
    var generation: CK_MECHANISM_TYPE { get }
    /// The bytes of a digest that a key signs.
    var digestSizes: ClosedRange<Int> { get }
    /// Whether keys encrypt, with the functions that follow from that, unless a template says otherwise.
    var encrypts: Bool { get }
    /// Whether a token settles when it makes a key whether the key agrees on secrets.
    var settlesAgreement: Bool { get }
    /// The attributes of a private key that cannot be read while it is sensitive or cannot be extracted.
    var secretAttributes: [CK_ATTRIBUTE_TYPE] { get }

    // MARK: Attributes

    /// The attributes that only such keys have.
    func rules(isPublic: Bool) -> AttributeTable.Rules
    /// The attributes of one half that the mechanism sets, and a template cannot.
    func material(isPublic: Bool) -> [CK_ATTRIBUTE_TYPE]
    /// Rules that differ in the template of a pair to be made.
    func generationRules(isPublic: Bool) -> AttributeTable.Rules
    /// Copies attributes that hold for both halves from one template of a pair to the other.
    func share(_ publicTemplate: inout Attributes, _ privateTemplate: inout Attributes) throws(CKError)
    /// The parameters of a pair, which both halves have.
    func parameters(_ publicTemplate: Attributes, _ privateTemplate: Attributes) throws(CKError) -> Attributes

    // MARK: Keys in this process

    func generate(_ publicKey: Attributes, random: any RandomSource) throws(CKError) -> SessionKey
    /// Checks the attributes of a public key together, and enters those that follow from them.
    func completePublicKey(_ attributes: inout Attributes) throws(CKError)
    /// Makes the key of these attributes, and removes those that must not be read.
    func takePrivateKey(_ attributes: inout Attributes) throws(CKError) -> SessionKey
    /// The bytes of a signature of a digest.
    func signatureSize(_ attributes: Attributes) throws(CKError) -> Int

    // MARK: Keys on a token

    /// How a token keeps a key with these attributes.
    ///
    /// - Parameter publicKey: Those of the public half of a new pair; of a key from outside, its own.
    func tokenKind(_ publicKey: Attributes, _ privateKey: Attributes) throws(CKError) -> any CardKey
    /// The properties of such a key in the token's key file.
    func properties(_ privateKey: Attributes) -> TokenKey.Properties
    /// The error for a token without such keys.
    var refusal: CKError { get }
    /// The attributes of a token's key beyond those that all have; nil for a key of a different kind.
    func attributes(of key: TokenKey) -> Attributes?
}

extension KeyPairKind {
    var digestSizes: ClosedRange<Int> { 0...Int.max }
    var encrypts: Bool { false }
    var settlesAgreement: Bool { true }
    var secretAttributes: [CK_ATTRIBUTE_TYPE] { [CKA_VALUE] }
    func share(_ publicTemplate: inout Attributes, _ privateTemplate: inout Attributes) throws(CKError) {}
}

/// The types of secret keys.
enum SecretKeyType: Sendable, Equatable {
    case gost28147, magma, kuznyechik
    /// Two keys in one: the MAC's, then the cipher's (KExp15).
    case magmaTwin, kuznyechikTwin
    case generic
    case aes
    /// Keys of HMAC with one hash function, where these have a type of their own.
    case hmac(DigestAlgorithm)

    static let all: [SecretKeyType] =
        [.gost28147, .magma, .kuznyechik, .magmaTwin, .kuznyechikTwin, .generic, .aes] + hmacTypes.keys.map(Self.hmac)

    private static let hmacTypes: [DigestAlgorithm: CK_KEY_TYPE] = [
        .sha1: CKK_SHA_1_HMAC, .sha224: CKK_SHA224_HMAC, .sha256: CKK_SHA256_HMAC, .sha384: CKK_SHA384_HMAC,
        .sha512: CKK_SHA512_HMAC,
    ]

    /// - Returns: nil for a type that this library has no secret keys of.
    init?(_ rawValue: CK_KEY_TYPE) {
        guard let type = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = type
    }

    var rawValue: CK_KEY_TYPE {
        switch self {
        case .gost28147: CKK_GOST28147
        case .magma: CKK_MAGMA
        case .kuznyechik: CKK_KUZNECHIK
        case .magmaTwin: CKK_MAGMA_TWIN_KEY
        case .kuznyechikTwin: CKK_KUZNECHIK_TWIN_KEY
        case .generic: CKK_GENERIC_SECRET
        case .aes: CKK_AES
        case .hmac(let hash): Self.hmacTypes[hash] ?? CKK_GENERIC_SECRET
        }
    }

    /// The bytes of a key; nil if the type has several lengths.
    var size: Int? {
        switch self {
        case .gost28147, .magma, .kuznyechik: 32
        case .magmaTwin, .kuznyechikTwin: 64
        case .generic, .aes, .hmac: nil
        }
    }

    /// Whether a key can have so many bytes.
    func allows(_ count: Int) -> Bool {
        switch self {
        case .generic, .hmac: count > 0
        case .aes: [16, 24, 32].contains(count)
        default: count == size
        }
    }

    /// The bytes that a generic secret can have: 80 to 2048 bits.
    static let genericSizes = 10...256
}
