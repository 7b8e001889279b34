import CCryptoki
import GOST
import Secrets

extension Object {
    /// An object of a session, from attributes that were checked one by one. Here they are checked together, and what
    /// must not be read is put away.
    init(creating attributes: Attributes, session: CK_SESSION_HANDLE) throws(CKError) {
        var attributes = attributes
        var key: SessionKey?
        switch try attributes.number(CKA_CLASS) {
        case CKO_CERTIFICATE: attributes.completeCertificate()
        case CKO_PUBLIC_KEY: try attributes.completePublicKey()
        case CKO_PRIVATE_KEY: key = try attributes.takePrivateKey()
        case CKO_SECRET_KEY: key = try attributes.takeSecretKey()
        default: break
        }
        home = .session(session, key)
        isPrivate = try attributes.bool(CKA_PRIVATE) ?? false
        self.attributes = attributes
    }

    /// The attributes, with a secret key's value if it may be read: it is kept apart from them.
    func shownAttributes() throws(CKError) -> Attributes {
        guard try attributes.number(CKA_CLASS) == CKO_SECRET_KEY, attributes.showsValue, let sessionKey else {
            return attributes
        }
        var attributes = attributes
        let value = try sessionKey.secret()
        attributes.set(CKA_VALUE, [UInt8](copying: value))
        return attributes
    }
}

extension Attributes {
    /// Whether a secret key's value may be read.
    var showsValue: Bool { (try? bool(CKA_SENSITIVE)) == false && (try? bool(CKA_EXTRACTABLE)) == true }

    /// Enters what the template left out and the certificate says itself.
    mutating func completeCertificate() {
        guard let value = self[CKA_VALUE], let names = CertificateNames(certificate: value) else { return }
        if self[CKA_SUBJECT]?.isEmpty != false { set(CKA_SUBJECT, names.subject) }
        if self[CKA_ISSUER]?.isEmpty != false { set(CKA_ISSUER, names.issuer) }
        if self[CKA_SERIAL_NUMBER]?.isEmpty != false { set(CKA_SERIAL_NUMBER, names.serialNumber) }
    }

    fileprivate mutating func completePublicKey() throws(CKError) {
        switch try number(CKA_KEY_TYPE) {
        case CKK_RSA: try completeRSAKey()
        case CKK_EC: try checkECPoint()
        default:
            let curve = try completeGOSTParameters()
            let value = bareGOSTValue(curve)
            do { _ = try PublicKey(curve: curve, bytes: value) } catch { throw .attributeValueInvalid }
            set(CKA_VALUE, value)
        }
    }

    private mutating func completeRSAKey() throws(CKError) {
        let modulus = (self[CKA_MODULUS] ?? []).drop { $0 == 0 }
        guard let first = modulus.first, modulus.last.map({ $0 & 1 }) == 1, self[CKA_PUBLIC_EXPONENT]?.isEmpty == false
        else { throw .attributeValueInvalid }
        set(CKA_MODULUS_BITS, CK_ULONG(8 * modulus.count - first.leadingZeroBitCount))
    }

    /// A point is an OCTET STRING that is marked as compressed or not (PKCS #11 v2.40 current mechanisms, 2.3.3).
    private func checkECPoint() throws(CKError) {
        guard self[CKA_EC_PARAMS]?.isEmpty == false, let point = self[CKA_EC_POINT], point.count > 3, point[0] == 0x04,
            (point[1] < 0x80 && Int(point[1]) == point.count - 2)
                || (point[1] == 0x81 && Int(point[2]) == point.count - 3)
        else { throw .attributeValueInvalid }
    }

    /// Enters the parameter sets that the template left out, as for a key pair.
    private mutating func completeGOSTParameters() throws(CKError) -> Curve {
        guard let curve = self[CKA_GOSTR3410_PARAMS].flatMap({ Curve(oid: $0) }) else { throw .domainParametersInvalid }
        let keyType = KeyType(curve)
        guard try number(CKA_KEY_TYPE) ?? keyType.rawValue == keyType.rawValue else { throw .templateInconsistent }
        var given = Attributes()
        for type in [CKA_GOSTR3410_PARAMS, CKA_GOSTR3411_PARAMS, CKA_GOST28147_PARAMS]
        where self[type]?.isEmpty == false {
            given[type] = self[type]
        }
        let parameters = try KeyParameters(given, Attributes(), keyType: keyType)
        set(CKA_KEY_TYPE, keyType.rawValue)
        set(CKA_GOSTR3411_PARAMS, parameters.gostR3411)
        set(CKA_GOST28147_PARAMS, parameters.gost28147)
        return curve
    }

    /// X ‖ Y, without the header of the OCTET STRING that some applications put before them.
    private func bareGOSTValue(_ curve: Curve) -> [UInt8] {
        let value = self[CKA_VALUE] ?? []
        let header: [UInt8] = curve.coordinateSize == 64 ? [0x04, 0x81, 0x80] : [0x04, 0x40]
        let isWrapped = value.count == header.count + 2 * curve.coordinateSize && value.starts(with: header)
        return isWrapped ? Array(value.dropFirst(header.count)) : value
    }

    /// A private key's value leaves its object on no way, so that it is always sensitive.
    fileprivate mutating func takePrivateKey() throws(CKError) -> SessionKey {
        guard try bool(CKA_SENSITIVE) == true, try bool(CKA_EXTRACTABLE) == false,
            try bool(CKA_ALWAYS_AUTHENTICATE) == false
        else { throw .templateInconsistent }
        let curve = try completeGOSTParameters()
        do {
            let key = try PrivateKey(curve: curve, scalar: Secret(copying: takeValue()))
            return SessionKey(key)
        } catch {
            throw .attributeValueInvalid
        }
    }

    fileprivate mutating func takeSecretKey() throws(CKError) -> SessionKey {
        guard let type = try number(CKA_KEY_TYPE).flatMap({ SecretKeyType($0) }) else { throw .templateIncomplete }
        if type == .gost28147 {
            let parameters = self[CKA_GOST28147_PARAMS]
            guard SBox.all.contains(where: { $0.oid == parameters }) else { throw .domainParametersInvalid }
        }
        let value = takeValue()
        guard type.size ?? value.count == value.count, !value.isEmpty else { throw .attributeValueInvalid }
        set(CKA_VALUE_LEN, CK_ULONG(value.count))
        return SessionKey(Secret(copying: value))
    }

    /// The value, which from then on is no attribute any more.
    private mutating func takeValue() -> [UInt8] {
        defer { self[CKA_VALUE] = nil }
        return self[CKA_VALUE] ?? []
    }
}
