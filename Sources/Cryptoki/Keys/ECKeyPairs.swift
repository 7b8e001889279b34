// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import HostCrypto
import Secrets
import Token
import Tokens

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
            throw .templateInconsistent("\(privateTemplate.place(of: CKA_EC_PARAMS)) differs from the public key")
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

    func tokenKind(_ publicKey: Attributes, _ privateKey: Attributes) throws(CKError) -> CardKey {
        let kind = ECKey(publicKey[CKA_EC_PARAMS] ?? [])
        guard kind.files != nil else {
            throw .curveNotSupported("\(publicKey.place(of: CKA_EC_PARAMS)) is not a curve that tokens have keys on")
        }
        return .ec(kind)
    }

    func properties(_ privateKey: Attributes) -> TokenKey.Properties { privateKey[CKA_DERIVE] == [1] ? .derives : [] }
    var refusal: CKError { .curveNotSupported("the token has no keys on this curve") }
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
