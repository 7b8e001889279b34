public import CCryptoki
import GOST
import Secrets

/// How a key is wrapped with another.
enum KeyWrapping: Sendable {
    /// The key wrap of RFC 4357, 6.1, whose UKM is the parameter: CEK_ENC ‖ CEK_MAC.
    case gost28147
    /// KExp15 with a twin key (RFC 9189, 8.2.1), whose IV is the parameter.
    case magma, kuznyechik

    /// The type of the key that wraps.
    var keyType: SecretKeyType {
        switch self {
        case .gost28147: .gost28147
        case .magma: .magmaTwin
        case .kuznyechik: .kuznyechikTwin
        }
    }

    /// The types of the keys that are wrapped. The first is that of a key whose template names none.
    var wrappedTypes: [SecretKeyType] {
        switch self {
        case .gost28147: [.gost28147, .generic, .magma, .kuznyechik]
        case .magma: [.magma, .kuznyechik, .gost28147, .generic, .magmaTwin, .kuznyechikTwin]
        case .kuznyechik: [.kuznyechik, .magma, .gost28147, .generic, .magmaTwin, .kuznyechikTwin]
        }
    }

    func wrap(
        _ key: borrowing Secret, with wrapping: borrowing Secret, _ sBox: SBox, _ parameter: [UInt8]
    ) throws(GOSTError) -> Secret {
        switch self {
        case .gost28147:
            let wrapped = try GOST28147KeyWrap.gost.wrap(
                key.bytes, kek: wrapping.bytes, ukm: parameter.span, sBox: sBox)
            return wrapped.extracting(parameter.count..<wrapped.count)
        case .magma:
            return try KExp15<Magma>.wrap(
                key.bytes, authenticationKey: wrapping.bytes.extracting(0..<32),
                encryptionKey: wrapping.bytes.extracting(32..<64), iv: parameter.span)
        case .kuznyechik:
            return try KExp15<Kuznyechik>.wrap(
                key.bytes, authenticationKey: wrapping.bytes.extracting(0..<32),
                encryptionKey: wrapping.bytes.extracting(32..<64), iv: parameter.span)
        }
    }

    func unwrap(
        _ wrapped: [UInt8], with wrapping: borrowing Secret, _ sBox: SBox, _ parameter: [UInt8]
    ) throws(GOSTError) -> Secret {
        switch self {
        case .gost28147:
            guard parameter.count == 8 else { throw .invalidIVLength }
            let octets = parameter + wrapped
            return try GOST28147KeyWrap.gost.unwrap(octets.span, kek: wrapping.bytes, sBox: sBox)
        case .magma:
            return try KExp15<Magma>.unwrap(
                wrapped.span, authenticationKey: wrapping.bytes.extracting(0..<32),
                encryptionKey: wrapping.bytes.extracting(32..<64), iv: parameter.span)
        case .kuznyechik:
            return try KExp15<Kuznyechik>.unwrap(
                wrapped.span, authenticationKey: wrapping.bytes.extracting(0..<32),
                encryptionKey: wrapping.bytes.extracting(32..<64), iv: parameter.span)
        }
    }
}

extension KeyWrapping {
    /// As ``unwrap(_:with:_:_:)``, with the errors of `C_UnwrapKey`.
    fileprivate func value(
        of wrapped: [UInt8], with wrapping: borrowing Secret, _ sBox: SBox, _ parameter: [UInt8]
    ) throws(CKError) -> Secret {
        do throws(GOSTError) { return try unwrap(wrapped, with: wrapping, sBox, parameter) } catch {
            switch error {
            case .authenticationFailed: throw .wrappedKeyInvalid
            case .invalidLength: throw .wrappedKeyLengthRange
            default: throw CKError(error)
            }
        }
    }
}

extension Session {
    /// The wrapped value of a secret key (PKCS #11 v2.40, 5.16).
    public func wrapKey(
        _ mechanism: Mechanism, _ handle: CK_OBJECT_HANDLE, with wrappingHandle: CK_OBJECT_HANDLE
    ) throws(CKError) -> [UInt8] {
        let wrapping = try Self.keyWrapping(mechanism)
        let wrappingKey = try renamed(.wrappingKeyHandleInvalid, .wrappingKeyTypeInconsistent) { () throws(CKError) in
            try secretKey(wrappingHandle, permission: CKA_WRAP, types: [wrapping.keyType])
        }
        guard let key = try? slot.visibleObject(handle) else { throw .keyHandleInvalid }
        guard try key.attributes.number(CKA_CLASS) == CKO_SECRET_KEY else { throw .keyNotWrappable }
        guard try key.attributes.bool(CKA_EXTRACTABLE) == true else { throw .keyUnextractable }
        guard try key.attributes.bool(CKA_WRAP_WITH_TRUSTED) != true else { throw .keyNotWrappable }
        let value = try slot.loaded(key).secretValue()
        let kek = try wrappingKey.secretValue()
        do throws(GOSTError) {
            let wrapped = try wrapping.wrap(value, with: kek, wrappingKey.sBox, mechanism.parameter)
            return [UInt8](copying: wrapped)
        } catch {
            throw CKError(error)
        }
    }

    /// Makes a secret key of a wrapped value (PKCS #11 v2.40, 5.16).
    public func unwrapKey(
        _ mechanism: Mechanism, _ wrapped: [UInt8], with unwrappingHandle: CK_OBJECT_HANDLE, template: Attributes
    ) throws(CKError) -> CK_OBJECT_HANDLE {
        let wrapping = try Self.keyWrapping(mechanism)
        let key = try renamed(.unwrappingKeyHandleInvalid, .unwrappingKeyTypeInconsistent) { () throws(CKError) in
            try secretKey(unwrappingHandle, permission: CKA_UNWRAP, types: [wrapping.keyType])
        }
        var template = try SecretKeyTemplate(template, keyTypes: wrapping.wrappedTypes, madeBy: nil, isLocal: false)
        let kek = try key.secretValue()
        let value = try wrapping.value(of: wrapped, with: kek, key.sBox, mechanism.parameter)
        guard template.count ?? value.count == value.count else { throw .templateInconsistent }
        guard template.keyType.size ?? value.count == value.count else { throw .wrappedKeyLengthRange }
        template.count = value.count
        return try insert(template.object(value, session: handle))
    }

    private static func keyWrapping(_ mechanism: Mechanism) throws(CKError) -> KeyWrapping {
        guard case .keyWrapping(let wrapping) = try MechanismDefinition.find(mechanism.type).work else {
            throw .mechanismInvalid
        }
        return wrapping
    }

    /// Errors of a key that wraps have names of their own.
    private func renamed<Result>(
        _ handleInvalid: CKError, _ typeInconsistent: CKError, _ body: () throws(CKError) -> Result
    ) throws(CKError) -> Result {
        do throws(CKError) { return try body() } catch {
            switch error {
            case .keyHandleInvalid: throw handleInvalid
            case .keyTypeInconsistent: throw typeInconsistent
            default: throw error
            }
        }
    }
}
