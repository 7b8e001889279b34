// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import GOST
import Secrets
import Tokens

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

    /// The types of the keys that are wrapped. The first is the default if the template names none.
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
        case .magma: return try KExp15.wrap(key.bytes, .magma, keys: wrapping.bytes, iv: parameter.span)
        case .kuznyechik: return try KExp15.wrap(key.bytes, .kuznyechik, keys: wrapping.bytes, iv: parameter.span)
        }
    }

    func unwrap(
        _ wrapped: [UInt8], with wrapping: borrowing Secret, _ sBox: SBox, _ parameter: [UInt8]
    ) throws(GOSTError) -> Secret {
        switch self {
        case .gost28147:
            guard parameter.count == 8 else { throw .invalidIVLength }
            let bytes = parameter + wrapped
            return try GOST28147KeyWrap.gost.unwrap(bytes.span, kek: wrapping.bytes, sBox: sBox)
        case .magma: return try KExp15.unwrap(wrapped.span, .magma, keys: wrapping.bytes, iv: parameter.span)
        case .kuznyechik:
            return try KExp15.unwrap(wrapped.span, .kuznyechik, keys: wrapping.bytes, iv: parameter.span)
        }
    }
}

/// A key that wraps or unwraps, checked for its type and the permission to be used so.
enum WrappingKey {
    case secret(KeyWrapping, Object)
    case rsa(any CipherState)
    case transport(KeyTransportCipher)

    /// The types of the keys that are wrapped. The first is the default if the template names none.
    var wrappedTypes: [SecretKeyType] {
        switch self {
        case .secret(let wrapping, _): wrapping.wrappedTypes
        case .transport: KeyWrapping.gost28147.wrappedTypes
        case .rsa: [.generic] + SecretKeyType.all.filter { $0 != .generic }
        }
    }

    func wrap(_ value: borrowing Secret, _ parameter: [UInt8]) throws(CKError) -> [UInt8] {
        switch self {
        case .secret(let wrapping, let key):
            let kek = try key.secretValue()
            do throws(GOSTError) {
                let wrapped = try wrapping.wrap(value, with: kek, key.sBox, parameter)
                return [UInt8](copying: wrapped)
            } catch {
                throw CKError(error)
            }
        case .rsa(let cipher):
            do throws(CKError) {
                let wrapped = try cipher.process(value.bytes)
                return [UInt8](copying: wrapped)
            } catch {
                throw error == .dataLengthRange
                    ? .keySizeRange("the key to wrap has \(value.count) bytes, too many for the wrapping key") : error
            }
        case .transport(let cipher): return try cipher.wrap(value)
        }
    }

    func unwrap(_ wrapped: [UInt8], _ parameter: [UInt8]) throws(CKError) -> Secret {
        switch self {
        case .secret(let wrapping, let key):
            let kek = try key.secretValue()
            do throws(GOSTError) { return try wrapping.unwrap(wrapped, with: kek, key.sBox, parameter) } catch {
                switch error {
                case .authenticationFailed:
                    throw .wrappedKeyInvalid("the wrapped key's code is not that of the unwrapping key")
                case .invalidLength: throw .wrappedKeyLengthRange("the wrapped key has \(wrapped.count) bytes")
                default: throw CKError(error)
                }
            }
        case .rsa(let cipher):
            do throws(CKError) { return try cipher.process(wrapped.span) } catch {
                switch error {
                case .encryptedDataInvalid: throw .wrappedKeyInvalid("the wrapped key does not decrypt")
                case .encryptedDataLengthRange:
                    throw .wrappedKeyLengthRange("the wrapped key has \(wrapped.count) bytes")
                default: throw error
                }
            }
        case .transport(let cipher): return try cipher.unwrap(wrapped)
        }
    }
}
