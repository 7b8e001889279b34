// SPDX-License-Identifier: Apache-2.0

package import CCryptoki
import GOST
import HostCrypto
import Secrets
import Token
import Tokens

/// The template of a secret key, with the defaults of missing attributes.
struct SecretKeyTemplate {
    var keyType: SecretKeyType
    var attributes: Attributes
    /// The key's length in bytes, if the template defines it.
    var count: Int?

    /// Reads a template.
    ///
    /// - Parameters:
    ///   - keyTypes: The types that the key can have. The first is the default if the template names none.
    ///   - origin: The mechanism that makes the key; nil for keys that come from outside.
    init(
        _ template: Attributes, keyTypes: [SecretKeyType], madeBy origin: CK_MECHANISM_TYPE?, isLocal: Bool
    ) throws(CKError) {
        guard try template.number(CKA_CLASS) ?? CKO_SECRET_KEY == CKO_SECRET_KEY else {
            throw .templateInconsistent("\(template.place(of: CKA_CLASS)) is not CKO_SECRET_KEY")
        }
        guard var type = keyTypes.first else { throw .templateInconsistent("the mechanism makes no keys") }
        if let asked = try template.number(CKA_KEY_TYPE) {
            guard let known = keyTypes.first(where: { $0.rawValue == asked }) else {
                throw AttributeTable.unknown(asked, "a key that the mechanism makes")
            }
            type = known
        }
        keyType = type
        count = try template.number(CKA_VALUE_LEN).map { Int(clamping: $0) }
        attributes = try Self.attributes(template, type)
        attributes.set(CKA_LOCAL, isLocal)
        attributes.set(CKA_KEY_GEN_MECHANISM, origin ?? .unavailable)
        // A key that was not made here was once elsewhere.
        let isSensitive = try attributes.bool(CKA_SENSITIVE) ?? false
        let isExtractable = try attributes.bool(CKA_EXTRACTABLE) ?? true
        attributes.set(CKA_ALWAYS_SENSITIVE, isLocal && isSensitive)
        attributes.set(CKA_NEVER_EXTRACTABLE, isLocal && !isExtractable)
    }

    /// The template's attributes, with the defaults of missing ones, without the value.
    private static func attributes(_ template: Attributes, _ type: SecretKeyType) throws(CKError) -> Attributes {
        var template = template
        template.set(CKA_CLASS, CKO_SECRET_KEY)
        template.set(CKA_KEY_TYPE, type.rawValue)
        template[CKA_VALUE_LEN] = nil
        var table = try AttributeTable(for: template)
        table.rules[CKA_VALUE] = .readOnly(.bytes, [])
        var attributes = try table.attributes(from: template)
        attributes[CKA_VALUE] = nil
        try attributes.checkSubstitution()
        return attributes
    }

    /// The number of bytes of a new key.
    ///
    /// - Throws: `CKR_TEMPLATE_INCOMPLETE` or `CKR_KEY_SIZE_RANGE` for a key without a length, or with a length out
    ///   of range; `CKR_TEMPLATE_INCONSISTENT` if all keys of the type have a different one.
    func size() throws(CKError) -> Int {
        if let size = keyType.size {
            guard count ?? size == size else {
                throw .templateInconsistent(
                    "CKA_VALUE_LEN is \(count ?? 0), a key of \(keyType: keyType.rawValue) has \(size) bytes")
            }
            return size
        }
        guard let count else { throw .templateIncomplete("CKA_VALUE_LEN is missing") }
        guard keyType.allows(count), keyType != .generic || SecretKeyType.genericSizes.contains(count) else {
            throw .keySizeRange("CKA_VALUE_LEN is \(count), which no key of \(keyType: keyType.rawValue) has")
        }
        return count
    }

    /// The key with its value.
    func object(_ value: consuming Secret, session: CK_SESSION_HANDLE) throws(CKError) -> Object {
        var attributes = attributes
        attributes.set(CKA_VALUE_LEN, CK_ULONG(value.count))
        try attributes.completeCheckValue(value, keyType)
        return Object(
            home: .session(session, SessionKey(value)), attributes: attributes,
            isPrivate: try attributes.bool(CKA_PRIVATE) ?? true)
    }
}

extension Object {
    /// A secret key's value.
    func secretValue() throws(CKError) -> Secret {
        guard let key = sessionKey else { throw .keyHandleInvalid("no secret key is behind the handle") }
        return try key.secret()
    }

    /// The substitution of a key of GOST 28147-89.
    var sBox: SBox { attributes.sBox }
}

extension Session {
    /// Makes a secret key in this process.
    package func generateKey(_ mechanism: Mechanism, template: Attributes) throws(CKError) -> CK_OBJECT_HANDLE {
        let definition = try slot.mechanism(mechanism.type)
        guard case .keyGeneration(let keyType) = definition.work else {
            throw .mechanismInvalid("\(mechanism: mechanism.type) makes no secret keys")
        }
        try definition.checkParameter(mechanism.parameter)
        let template = try SecretKeyTemplate(template, keyTypes: [keyType], madeBy: mechanism.type, isLocal: true)
        guard let value = try? slot.settings.random.secret(template.size()) else {
            _ = try template.size()
            throw .functionFailed
        }
        return try insert(template.object(value, session: handle))
    }
}

extension Attributes {
    /// Enters the check value of a secret key, or compares it with the template's. An empty one stays.
    ///
    /// - Throws: `CKR_ATTRIBUTE_VALUE_INVALID` for another key's check value.
    mutating func completeCheckValue(_ value: borrowing Secret, _ type: SecretKeyType) throws(CKError) {
        let given = self[CKA_CHECK_VALUE]
        guard given != [] else { return }
        let checkValue = try type.checkValue(of: value, sBox)
        guard given == nil || given == checkValue else {
            throw .attributeValueInvalid("\(place(of: CKA_CHECK_VALUE)) is not the key's")
        }
        set(CKA_CHECK_VALUE, checkValue)
    }

    /// The substitution of a key of GOST 28147-89.
    var sBox: SBox {
        let parameters = self[CKA_GOST28147_PARAMS]
        return SBox.all.first { $0.oid == parameters } ?? .tc26Z
    }
}

extension SecretKeyType {
    /// The first three bytes of an encrypted block of zeros, or of the SHA-1 digest of a key that does not belong to a
    /// block cipher (PKCS #11 v2.40, 4.10.2).
    fileprivate func checkValue(of value: borrowing Secret, _ sBox: SBox) throws(CKError) -> [UInt8] {
        guard let cipher = try ecbCipher(value.bytes, sBox) else {
            do throws(HostCryptoError) { return Array(try Digest.digest(value.bytes, .sha1).prefix(3)) } catch {
                throw CKError(error)
            }
        }
        let zeros = [UInt8](repeating: 0, count: AESCipher.blockSize)
        let block = try cipher.process(zeros.span)
        return Array([UInt8](copying: block).prefix(3))
    }

    /// ECB with the key; nil if it does not belong to a block cipher.
    private func ecbCipher(_ key: Span<UInt8>, _ sBox: SBox) throws(CKError) -> (any CipherState)? {
        if self == .aes { return try RunningAES(key: key, iv: nil, .encryption) }
        do { return try Session.cipher(self, .ecb, [], key, sBox, .encryption) } catch { throw CKError(error) }
    }
}
