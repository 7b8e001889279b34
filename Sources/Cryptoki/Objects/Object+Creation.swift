package import CCryptoki
import GOST
import HostCrypto
import Secrets

extension Object {
    /// An object of a session, from attributes that were checked one by one. Here they are checked together, and what
    /// must not be read is put away.
    init(creating attributes: Attributes, session: CK_SESSION_HANDLE) throws(CKError) {
        var attributes = attributes
        var key: SessionKey?
        switch try attributes.number(CKA_CLASS) {
        case CKO_CERTIFICATE:
            try attributes.checkCertificate()
            attributes.completeCertificate()
        case CKO_PUBLIC_KEY: try attributes.completePublicKey()
        case CKO_PRIVATE_KEY: key = try attributes.takePrivateKey()
        case CKO_SECRET_KEY: key = try attributes.takeSecretKey()
        default: break
        }
        let isPrivate = try attributes.bool(CKA_PRIVATE) ?? false
        self.init(home: .session(session, key), attributes: attributes, isPrivate: isPrivate)
    }

    /// The attributes, with what makes up a key if it may be read: it is kept apart from them.
    func shownAttributes() throws(CKError) -> Attributes {
        guard attributes.showsValue, let values = try sessionKey?.secretValues() else { return attributes }
        var attributes = attributes
        for type in values.types { attributes.copy(type, of: values) }
        return attributes
    }
}

extension Attributes {
    /// Whether the value of a secret or private key may be read.
    var showsValue: Bool { (try? bool(CKA_SENSITIVE)) == false && (try? bool(CKA_EXTRACTABLE)) == true }

    /// Enters what the template left out and the certificate says itself.
    mutating func completeCertificate() {
        guard let value = self[CKA_VALUE], let names = CertificateNames(certificate: value) else { return }
        if self[CKA_SUBJECT]?.isEmpty != false { set(CKA_SUBJECT, names.subject) }
        if self[CKA_ISSUER]?.isEmpty != false { set(CKA_ISSUER, names.issuer) }
        if self[CKA_SERIAL_NUMBER]?.isEmpty != false { set(CKA_SERIAL_NUMBER, names.serialNumber) }
        if self[CKA_PUBLIC_KEY_INFO]?.isEmpty != false { set(CKA_PUBLIC_KEY_INFO, names.publicKeyInfo) }
    }

    /// There is a certificate or a place to find it, the category is one of the standard's four, and the check value the
    /// certificate's (PKCS #11 v2.40, 4.6.2 and 4.6.3).
    fileprivate func checkCertificate() throws(CKError) {
        guard self[CKA_VALUE]?.isEmpty == false || self[CKA_URL]?.isEmpty == false else {
            throw .templateInconsistent("\(place(of: CKA_VALUE)) and CKA_URL are both empty")
        }
        guard try number(CKA_CERTIFICATE_CATEGORY) ?? 0 <= 3 else {
            throw .attributeValueInvalid("\(place(of: CKA_CERTIFICATE_CATEGORY)) is above 3")
        }
        guard let given = self[CKA_CHECK_VALUE], !given.isEmpty else { return }
        do throws(HostCryptoError) {
            let value = self[CKA_VALUE] ?? []
            guard try Digest.digest(value.span, .sha1).prefix(3).elementsEqual(given) else {
                throw HostCryptoError.invalidParameter
            }
        } catch {
            throw .attributeValueInvalid("\(place(of: CKA_CHECK_VALUE)) is not the certificate's")
        }
    }

    fileprivate mutating func completePublicKey() throws(CKError) {
        switch try number(CKA_KEY_TYPE) {
        case CKK_RSA: try completeRSAKey()
        case CKK_EC: try completeECKey()
        default:
            let curve = try completeGOSTParameters()
            let value = bareGOSTValue(curve)
            do { _ = try PublicKey(curve: curve, bytes: value) } catch {
                throw .attributeValueInvalid("\(place(of: CKA_VALUE)) is no point of the curve")
            }
            set(CKA_VALUE, value)
        }
    }

    private mutating func completeRSAKey() throws(CKError) {
        do throws(HostCryptoError) { set(CKA_MODULUS_BITS, CK_ULONG(try rsaPublicKey().bitCount)) } catch {
            throw .attributeValueInvalid("\(place(of: CKA_MODULUS)) and CKA_PUBLIC_EXPONENT are no key of RSA")
        }
    }

    /// A point is kept as an OCTET STRING (PKCS #11 v2.40 current mechanisms, 2.3.3), and comes bare, too.
    private mutating func completeECKey() throws(CKError) {
        let curve = try ecCurve()
        do throws(HostCryptoError) {
            set(CKA_EC_POINT, try ECPublicKey(curve: curve, bareOrDER: self[CKA_EC_POINT] ?? []).octetString)
        } catch {
            throw .attributeValueInvalid("\(place(of: CKA_EC_POINT)) is no point of the curve")
        }
    }

    /// Enters the parameter sets that the template left out, as for a key pair.
    private mutating func completeGOSTParameters() throws(CKError) -> Curve {
        guard let curve = self[CKA_GOSTR3410_PARAMS].flatMap({ Curve(oid: $0) }) else {
            throw .domainParametersInvalid("\(place(of: CKA_GOSTR3410_PARAMS)) names no known curve")
        }
        let keyType = KeyType(curve)
        guard try number(CKA_KEY_TYPE) ?? keyType.rawValue == keyType.rawValue else {
            throw .templateInconsistent(
                "\(place(of: CKA_GOSTR3410_PARAMS)) names a curve for keys of \(keyType: keyType.rawValue)")
        }
        var given = Attributes()
        for type in [CKA_GOSTR3410_PARAMS, CKA_GOSTR3411_PARAMS, CKA_GOST28147_PARAMS]
        where self[type]?.isEmpty == false {
            given[type] = self[type]
        }
        set(try KeyParameters(given, Attributes(), keyType: keyType))
        return curve
    }

    /// X ‖ Y, without the header of the OCTET STRING that some applications put before them.
    private func bareGOSTValue(_ curve: Curve) -> [UInt8] {
        let value = self[CKA_VALUE] ?? []
        let header: [UInt8] = curve.coordinateSize == 64 ? [0x04, 0x81, 0x80] : [0x04, 0x40]
        let isWrapped = value.count == header.count + 2 * curve.coordinateSize && value.starts(with: header)
        return isWrapped ? Array(value.dropFirst(header.count)) : value
    }

    fileprivate mutating func takePrivateKey() throws(CKError) -> SessionKey {
        try checkUse()
        switch try number(CKA_KEY_TYPE) {
        case CKK_RSA: return try takeRSAKey()
        case CKK_EC:
            let curve = try ecCurve()
            do throws(HostCryptoError) {
                let key = try ECPrivateKey(curve: curve, scalar: take(CKA_VALUE))
                return SessionKey(key)
            } catch {
                throw .attributeValueInvalid("\(place(of: CKA_VALUE)) is no private key on the curve")
            }
        default:
            let curve = try completeGOSTParameters()
            do throws(GOSTError) {
                let key = try PrivateKey(curve: curve, scalar: take(CKA_VALUE))
                return SessionKey(key)
            } catch {
                throw .attributeValueInvalid("\(place(of: CKA_VALUE)) is no private key on the curve")
            }
        }
    }

    /// What a private key can want for its use: the PIN each time, if only User sees the key (PKCS #11 v2.40, 4.9), and to
    /// sign the journal of the token that it lives on. No token here has a keyboard, a screen or a button.
    func checkUse() throws(CKError) {
        let confirmations = [CKA_VENDOR_KEY_PIN_ENTER, CKA_VENDOR_KEY_CONFIRM_OP, CKA_VENDOR_CONFIRM_BY_TOUCH]
        guard self[CKA_ALWAYS_AUTHENTICATE] != [1] || self[CKA_PRIVATE] == [1] else {
            throw .templateInconsistent("\(place(of: CKA_ALWAYS_AUTHENTICATE)) is true, CKA_PRIVATE is not")
        }
        guard self[CKA_VENDOR_KEY_JOURNAL] != [1] || self[CKA_TOKEN] == [1] else {
            throw .templateInconsistent("\(place(of: CKA_VENDOR_KEY_JOURNAL)) is true, CKA_TOKEN is not")
        }
        if let type = confirmations.first(where: { self[$0] == [1] }) {
            throw .templateInconsistent("\(place(of: type)) is true, which no token here can do")
        }
    }

    private mutating func takeRSAKey() throws(CKError) -> SessionKey {
        let chinese = [CKA_PRIME_1, CKA_PRIME_2, CKA_EXPONENT_1, CKA_EXPONENT_2, CKA_COEFFICIENT]
        let given = chinese.count { self[$0]?.isEmpty == false }
        guard given == 0 || given == chinese.count else {
            throw .templateIncomplete("of CKA_PRIME_1 to CKA_COEFFICIENT \(given) have a value, and all or none must")
        }
        var components = RSAComponents(
            modulus: self[CKA_MODULUS] ?? [], publicExponent: self[CKA_PUBLIC_EXPONENT] ?? [],
            privateExponent: take(CKA_PRIVATE_EXPONENT), factors: nil)
        if given > 0 {
            components.factors = RSAFactors(
                prime1: take(CKA_PRIME_1), prime2: take(CKA_PRIME_2), exponent1: take(CKA_EXPONENT_1),
                exponent2: take(CKA_EXPONENT_2), coefficient: take(CKA_COEFFICIENT))
        }
        for type in chinese { self[type] = nil }
        do throws(HostCryptoError) {
            let key = try RSAPrivateKey(components)
            return SessionKey(key)
        } catch {
            throw .attributeValueInvalid("\(place(of: CKA_MODULUS)) and the other numbers are no key of RSA")
        }
    }

    fileprivate mutating func takeSecretKey() throws(CKError) -> SessionKey {
        guard let type = try number(CKA_KEY_TYPE).flatMap({ SecretKeyType($0) }) else {
            throw .templateIncomplete("CKA_KEY_TYPE is missing")
        }
        try checkSubstitution()
        let value = take(CKA_VALUE)
        guard type.allows(value.count) else {
            throw .attributeValueInvalid(
                "\(place(of: CKA_VALUE)) has \(value.count) octets, which no key of \(keyType: type.rawValue) has")
        }
        set(CKA_VALUE_LEN, CK_ULONG(value.count))
        try completeCheckValue(value, type)
        return SessionKey(value)
    }

    /// - Throws: `CKR_DOMAIN_PARAMS_INVALID` for a key of GOST 28147-89 with a substitution that nobody knows.
    func checkSubstitution() throws(CKError) {
        guard let parameters = self[CKA_GOST28147_PARAMS] else { return }
        guard SBox.all.contains(where: { $0.oid == parameters }) else {
            throw .domainParametersInvalid("\(place(of: CKA_GOST28147_PARAMS)) names no known substitution")
        }
    }

    /// A value that from then on is no attribute any more.
    private mutating func take(_ type: CK_ATTRIBUTE_TYPE) -> Secret {
        defer { self[type] = nil }
        return secret(type)?.secret.copy() ?? Secret(copying: self[type] ?? [])
    }

    /// These attributes but for ``secrets``.
    var withoutSecrets: Attributes {
        var attributes = self
        for type in Self.secrets { attributes[type] = nil }
        return attributes
    }

    /// What makes up a private or a secret key, which other objects can have, too.
    package static let secrets = Set([CKA_VALUE] + KeyType.rsa.secretAttributes)
}

extension Attributes {
    /// A public key of GOST R 34.10.
    func gostPublicKey() throws(CKError) -> PublicKey {
        guard let curve = self[CKA_GOSTR3410_PARAMS].flatMap({ Curve(oid: $0) }) else {
            throw .keyHandleInvalid("the key's CKA_GOSTR3410_PARAMS names no known curve")
        }
        do { return try PublicKey(curve: curve, bytes: self[CKA_VALUE] ?? []) } catch { throw CKError(error) }
    }

    /// The numbers of a key of RSA, as its public half has them.
    func rsaPublicKey() throws(HostCryptoError) -> RSAPublicKey {
        try RSAPublicKey(modulus: self[CKA_MODULUS] ?? [], publicExponent: self[CKA_PUBLIC_EXPONENT] ?? [])
    }

    /// The curve that `CKA_EC_PARAMS` names.
    ///
    /// - Throws: `CKR_CURVE_NOT_SUPPORTED` for another one, `CKR_DOMAIN_PARAMS_INVALID` for what names none.
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
