// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import GOST
import HostCrypto
import Secrets
import Tokens

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
        case CKO_PUBLIC_KEY:
            try attributes.keyPairKind().completePublicKey(&attributes)
            try attributes.checkPublicKeyInfo()
        case CKO_PRIVATE_KEY:
            try attributes.checkUse()
            let privateKey = try attributes.keyPairKind().takePrivateKey(&attributes)
            try attributes.checkPublicKeyInfo(of: privateKey)
            key = privateKey
        case CKO_SECRET_KEY: key = try attributes.takeSecretKey()
        default: break
        }
        let isPrivate = try attributes.bool(CKA_PRIVATE) ?? false
        self.init(home: .session(session, key), attributes: attributes, isPrivate: isPrivate)
    }

    /// The same key with another value, as the application would have created it. An operation that has begun keeps the
    /// former value.
    func replacing(_ value: borrowing Secret, _ attributes: Attributes) throws(CKError) -> Object {
        guard case .session(let session, _) = home else { throw .attributeReadOnly("CKA_VALUE never changes") }
        var attributes = attributes
        attributes.set(CKA_VALUE, value)
        if attributes[CKA_CHECK_VALUE]?.isEmpty == false { attributes[CKA_CHECK_VALUE] = nil }
        for flag in [CKA_LOCAL, CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE] { attributes.set(flag, false) }
        attributes.set(CKA_KEY_GEN_MECHANISM, CK_ULONG.unavailable)
        return try Object(creating: attributes, session: session)
    }

    /// The attributes, with the key's own numbers if they may be read: these are kept apart.
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

    /// Enters attributes that the template left out and the certificate contains.
    mutating func completeCertificate() {
        if self[CKA_CHECK_VALUE] == nil { set(CKA_CHECK_VALUE, certificateCheckValue ?? []) }
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
        guard let checkValue = certificateCheckValue else { throw .hostFailed }
        guard given == checkValue else {
            throw .attributeValueInvalid("\(place(of: CKA_CHECK_VALUE)) is not the certificate's")
        }
    }

    /// The first three bytes of a certificate's SHA-1 (PKCS #11 v2.40, 4.6.2), none without its value; nil if libcrypto is
    /// missing.
    private var certificateCheckValue: [UInt8]? {
        guard let value = self[CKA_VALUE], !value.isEmpty else { return [] }
        return (try? Digest.digest(value.span, .sha1)).map { Array($0.prefix(3)) }
    }

    /// Options of a private key's use: the PIN each time, if only User sees the key (PKCS #11 v2.40, 4.9), and to sign
    /// the journal of the token that it lives on. No token here has a keyboard, a screen or a button.
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

    fileprivate mutating func takeSecretKey() throws(CKError) -> SessionKey {
        guard let type = secretKeyType else {
            throw .templateIncomplete("CKA_KEY_TYPE is missing")
        }
        try checkSubstitution()
        let value = take(CKA_VALUE)
        guard type.allows(value.count) else {
            throw .attributeValueInvalid(
                "\(place(of: CKA_VALUE)) has \(value.count) bytes, which no key of \(keyType: type.rawValue) has")
        }
        set(CKA_VALUE_LEN, CK_ULONG(value.count))
        try completeCheckValue(value, type)
        return SessionKey(value)
    }

    /// - Throws: `CKR_DOMAIN_PARAMS_INVALID` for a key of GOST 28147-89 with an unknown substitution.
    func checkSubstitution() throws(CKError) {
        guard let parameters = self[CKA_GOST28147_PARAMS] else { return }
        guard SBox.all.contains(where: { $0.oid == parameters }) else {
            throw .domainParametersInvalid("\(place(of: CKA_GOST28147_PARAMS)) names no known substitution")
        }
    }

    /// Removes an attribute and returns its value.
    mutating func take(_ type: CK_ATTRIBUTE_TYPE) -> Secret {
        defer { self[type] = nil }
        return secret(type)?.secret.copy() ?? Secret(copying: self[type] ?? [])
    }

    /// The new value that a template of `C_SetAttributeValue` has for a session's key of GOST 28147-89, which leaves the
    /// template; nil for other objects, whose values never change. Programs that mesh keys by themselves (RFC 4357, 2.3.2)
    /// set each key so.
    mutating func takeNewValue(of object: Object) -> Secret? {
        guard secret(CKA_VALUE) != nil, object.tokenObject == nil, object.sessionKey != nil,
            object.attributes[CKA_CLASS] == CKO_SECRET_KEY.bytes,
            object.attributes[CKA_KEY_TYPE] == CK_ULONG(CKK_GOST28147).bytes
        else { return nil }
        return take(CKA_VALUE)
    }

    /// These attributes but for ``secrets``.
    var withoutSecrets: Attributes { without(Self.secrets) }

    /// These attributes but for some types.
    func without(_ types: Set<CK_ATTRIBUTE_TYPE>) -> Attributes {
        var attributes = self
        for type in types { attributes[type] = nil }
        return attributes
    }

    /// The attributes that make up a private or a secret key, which other objects can have, too.
    package static let secrets = Set([CKA_VALUE] + KeyType.rsa.kind.secretAttributes)
}
