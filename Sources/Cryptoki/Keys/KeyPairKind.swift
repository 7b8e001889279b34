// SPDX-License-Identifier: Apache-2.0

import CCryptoki
import GOST
import HostCrypto
import Secrets
import Token
import Tokens

/// The meaning of a kind of key pairs in PKCS #11.
protocol KeyPairKind: Sendable {
    /// `CKK_`.
    var type: CK_KEY_TYPE { get }
    /// The mechanism that makes such pairs.
    var generation: CK_MECHANISM_TYPE { get }
    /// The bytes of a digest that a key signs.
    var digestSizes: ClosedRange<Int> { get }
    /// Whether keys encrypt, with the functions that follow from that, unless a template overrides it.
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
    /// - Parameter publicKey: The public half's attributes for a new pair; the key's own for a key from outside.
    func tokenKind(_ publicKey: Attributes, _ privateKey: Attributes) throws(CKError) -> CardKey
    /// The properties of such a key in the token's key file.
    func properties(_ privateKey: Attributes) -> TokenKey.Properties
    /// The error for a token without such keys.
    var refusal: CKError { get }
}

extension KeyPairKind {
    var digestSizes: ClosedRange<Int> { 0...Int.max }
    var encrypts: Bool { false }
    var settlesAgreement: Bool { true }
    var secretAttributes: [CK_ATTRIBUTE_TYPE] { [CKA_VALUE] }
    func share(_ publicTemplate: inout Attributes, _ privateTemplate: inout Attributes) throws(CKError) {}
}

extension KeyType {
    /// The kind of such pairs. Each has a file for its differences.
    var kind: any KeyPairKind {
        switch self {
        case .gostR3410: GOSTKeyPairs(is512: false)
        case .gostR3410With512Bits: GOSTKeyPairs(is512: true)
        case .rsa: RSAKeyPairs()
        case .ec: ECKeyPairs()
        }
    }
}
