// SPDX-License-Identifier: Apache-2.0

import CCryptoki
import GOST
import Secrets
import Token
import Tokens

/// Key pairs of GOST R 34.10 (PKCS #11 v2.40 current mechanisms, 2.22 to 2.24).
struct GOSTKeyPairs: KeyPairKind {
    /// Whether a number has 512 bits, and not 256.
    let is512: Bool
    private var size: Int { is512 ? 64 : 32 }

    var type: CK_KEY_TYPE { is512 ? CKK_GOSTR3410_512 : CKK_GOSTR3410 }
    var generation: CK_MECHANISM_TYPE { is512 ? CKM_GOSTR3410_512_KEY_PAIR_GEN : CKM_GOSTR3410_KEY_PAIR_GEN }
    var digestSizes: ClosedRange<Int> { size...size }
    func signatureSize(_ attributes: Attributes) -> Int { 2 * size }

    func rules(isPublic: Bool) -> AttributeTable.Rules {
        [
            CKA_GOSTR3410_PARAMS: .required, CKA_GOSTR3411_PARAMS: .bytes([], .never),
            CKA_GOST28147_PARAMS: .bytes([], .never), CKA_VALUE: .required,
            // Whether the pair signs the journal of the token that it lives on.
            CKA_VENDOR_KEY_JOURNAL: .bool(false, .never),
        ]
    }
    func material(isPublic: Bool) -> [CK_ATTRIBUTE_TYPE] { [CKA_VALUE] }
    func generationRules(isPublic: Bool) -> AttributeTable.Rules { [CKA_GOSTR3410_PARAMS: .bytes([], .never)] }

    /// Either template can say that the pair signs the journal.
    func share(_ publicTemplate: inout Attributes, _ privateTemplate: inout Attributes) throws(CKError) {
        let own = publicTemplate[CKA_VENDOR_KEY_JOURNAL]
        let signsJournal = privateTemplate[CKA_VENDOR_KEY_JOURNAL] ?? own
        guard own == nil || own == signsJournal else {
            throw .templateInconsistent("the templates differ in CKA_VENDOR_KEY_JOURNAL")
        }
        publicTemplate[CKA_VENDOR_KEY_JOURNAL] = signsJournal
        privateTemplate[CKA_VENDOR_KEY_JOURNAL] = signsJournal
    }

    /// Applications put the parameter sets into either template, or into both. The defaults are the first set of the
    /// standard, and for GOST 28147-89 the set Z, which the vendor's library enters too.
    func parameters(_ publicTemplate: Attributes, _ privateTemplate: Attributes) throws(CKError) -> Attributes {
        var parameters = Attributes()
        for (type, standard) in [
            (CKA_GOSTR3410_PARAMS, (is512 ? Curve.tc26512A : Curve.cryptoProA).oid),
            (CKA_GOSTR3411_PARAMS, (is512 ? HashAlgorithm.streebog512 : .streebog256).oid),
            (CKA_GOST28147_PARAMS, SBox.tc26Z.oid),
        ] {
            if let one = publicTemplate[type], let other = privateTemplate[type], one != other {
                throw .templateInconsistent("\(privateTemplate.place(of: type)) differs from the public key")
            }
            parameters[type] = publicTemplate[type] ?? privateTemplate[type] ?? standard
        }
        guard parameters.gostCurve?.coordinateSize == size else {
            throw .domainParametersInvalid("CKA_GOSTR3410_PARAMS names no curve of keys of \(keyType: type)")
        }
        let hashes: [HashAlgorithm] = is512 ? [.streebog512] : [.gostR341194, .streebog256]
        guard hashes.contains(where: { $0.oid == parameters[CKA_GOSTR3411_PARAMS] }) else {
            throw .domainParametersInvalid("CKA_GOSTR3411_PARAMS names no hash function of keys of \(keyType: type)")
        }
        return parameters
    }

    func generate(_ publicKey: Attributes, random: any RandomSource) throws(CKError) -> SessionKey {
        let curve = try publicKey.knownGOSTCurve()
        do throws(GOSTError) {
            let key = try PrivateKey.generate(on: curve, random: random)
            return SessionKey(key)
        } catch {
            throw CKError(error)
        }
    }

    func completePublicKey(_ attributes: inout Attributes) throws(CKError) {
        let curve = try complete(&attributes)
        var value = attributes[CKA_VALUE] ?? []
        // X ‖ Y, without the header of the OCTET STRING that some applications put before them.
        let header: [UInt8] = is512 ? [0x04, 0x81, 0x80] : [0x04, 0x40]
        if value.count == header.count + 2 * size, value.starts(with: header) { value.removeFirst(header.count) }
        do { _ = try PublicKey(curve: curve, bytes: value) } catch {
            throw .attributeValueInvalid("\(attributes.place(of: CKA_VALUE)) is not a point of the curve")
        }
        attributes.set(CKA_VALUE, value)
    }

    func takePrivateKey(_ attributes: inout Attributes) throws(CKError) -> SessionKey {
        let curve = try complete(&attributes)
        do throws(GOSTError) {
            let key = try PrivateKey(curve: curve, scalar: attributes.take(CKA_VALUE))
            return SessionKey(key)
        } catch {
            throw .attributeValueInvalid("\(attributes.place(of: CKA_VALUE)) is not a private key on the curve")
        }
    }

    /// Enters the parameter sets that the template left out, as for a key pair.
    private func complete(_ attributes: inout Attributes) throws(CKError) -> Curve {
        let curve = try attributes.knownGOSTCurve()
        guard curve.coordinateSize == size else {
            throw .templateInconsistent(
                "\(attributes.place(of: CKA_GOSTR3410_PARAMS)) names a curve for keys of \(keyType: KeyType(curve).rawValue)"
            )
        }
        var given = attributes
        for type in [CKA_GOSTR3410_PARAMS, CKA_GOSTR3411_PARAMS, CKA_GOST28147_PARAMS]
        where given[type]?.isEmpty == true {
            given[type] = nil
        }
        attributes.set(CKA_KEY_TYPE, type)
        attributes.enter(try parameters(given, Attributes()))
        return curve
    }

    func tokenKind(_ publicKey: Attributes, _ privateKey: Attributes) throws(CKError) -> CardKey {
        let kind = privateKey.gostCurve.map {
            GOSTKey(
                $0, gostR3411Parameters: privateKey[CKA_GOSTR3411_PARAMS] ?? [],
                gost28147Parameters: privateKey[CKA_GOST28147_PARAMS] ?? [])
        }
        guard let kind, kind.files != nil else {
            throw .domainParametersInvalid(
                "\(privateKey.place(of: CKA_GOSTR3410_PARAMS)) names no curve that tokens have keys on")
        }
        return .gost(kind)
    }

    func properties(_ privateKey: Attributes) -> TokenKey.Properties {
        var properties: TokenKey.Properties = privateKey.agrees ? .derives : []
        if privateKey[CKA_VENDOR_KEY_JOURNAL] == [1] { properties.insert(.signsJournal) }
        return properties
    }

    var refusal: CKError { .domainParametersInvalid("the token makes no keys with these parameters") }
}

extension Attributes {
    /// - Throws: `CKR_DOMAIN_PARAMS_INVALID`.
    fileprivate func knownGOSTCurve() throws(CKError) -> Curve {
        guard let gostCurve else {
            throw .domainParametersInvalid("\(place(of: CKA_GOSTR3410_PARAMS)) names no known curve")
        }
        return gostCurve
    }

    /// A public key of GOST R 34.10.
    func gostPublicKey() throws(CKError) -> PublicKey {
        let curve = try requireGOSTCurve()
        do { return try PublicKey(curve: curve, bytes: self[CKA_VALUE] ?? []) } catch { throw CKError(error) }
    }

    /// The curve of a key that is there.
    func requireGOSTCurve() throws(CKError) -> Curve {
        guard let gostCurve else {
            throw .keyHandleInvalid("the key's CKA_GOSTR3410_PARAMS names no known curve")
        }
        return gostCurve
    }
}
