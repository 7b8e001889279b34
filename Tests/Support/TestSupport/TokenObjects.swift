// SPDX-License-Identifier: Apache-2.0
package import GOST
import HostCrypto
package import Secrets
package import Token

/// The objects of a token by kind.
extension [TokenObject] {
    package var keys: [TokenObject] { filter { $0.key?.kind.gostKey != nil } }
    package var rsaKeys: [TokenObject] { filter { $0.key?.kind.rsaKey != nil } }
    package var ecKeys: [TokenObject] { filter { $0.key?.kind.ecKey != nil } }
    package var certificates: [TokenObject] { filter { if case .certificate = $0.content { true } else { false } } }
    package var data: [TokenObject] { filter { if case .data = $0.content { true } else { false } } }
    package var storedKeys: [TokenObject] {
        filter {
            switch $0.content {
            case .secretKey, .publicKey: true
            default: false
            }
        }
    }
}

/// The fields of objects of one kind.
extension TokenObject {
    package var half: TokenKey.Half? { key?.half }
    package var isImported: Bool { key?.properties.contains(.imported) == true }
    package var curve: Curve? { key?.kind.gostKey?.curve }
    /// The value of a public key of GOST R 34.10, a certificate, or a data object.
    package var value: [UInt8]? {
        switch content {
        case .key(let key): key.kind.gostKey?.value
        case .certificate(_, let value): value
        case .data(let data): data.value
        case .secretKey, .publicKey: nil
        }
    }
    package var dataObject: TokenData? { if case .data(let data) = content { data } else { nil } }
    package var bits: Int { key?.kind.rsaKey?.size.bits ?? 0 }
    package var modulus: [UInt8]? { key?.kind.rsaKey?.modulus }
    package var publicExponent: [UInt8]? { key?.kind.rsaKey?.publicExponent }
    package var point: [UInt8]? { key?.kind.ecKey?.point }

    package static func certificate(label: [UInt8], id: [UInt8], subject: [UInt8], value: [UInt8]) -> TokenObject {
        TokenObject(.certificate(subject: subject, value: value), label: label, id: id)
    }

    package static func data(
        label: [UInt8], application: [UInt8] = [], objectIdentifier: [UInt8] = [], value: [UInt8], isPrivate: Bool
    ) -> TokenObject {
        let data = TokenData(application: application, objectIdentifier: objectIdentifier, value: value)
        return TokenObject(.data(data), label: label, isPrivate: isPrivate)
    }
}

/// A key pair to generate.
package struct NewPair: Sendable {
    package var publicKey: TokenObject
    package var privateKey: TokenObject

    package init(_ kind: CardKey, label: [UInt8] = [], id: [UInt8], _ properties: TokenKey.Properties = []) {
        publicKey = TokenObject(.key(TokenKey(.publicKey, kind, properties)), label: label, id: id)
        privateKey = TokenObject(.key(TokenKey(.privateKey, kind, properties)), label: label, id: id)
    }
}

extension ConnectedToken {
    package func generate(_ pair: NewPair) throws(TokenError) -> (TokenObject, TokenObject) {
        try generateKeyPair(pair.publicKey, pair.privateKey)
    }
}

extension CardKey {
    package static var p256: CardKey { .ec(ECKey(ECCurve.p256.oid)) }
}

/// Uses of keys by an owner who has agreed.
extension ConnectedToken {
    package func sign(digest: [UInt8], with key: TokenObject) throws(TokenError) -> [UInt8] {
        try sign(digest: digest, with: PermittedKey(key) {})
    }

    package func sign(block: [UInt8], with key: TokenObject) throws(TokenError) -> [UInt8] {
        try sign(block: block, with: PermittedKey(key) {})
    }

    package func decipher(block: [UInt8], with key: TokenObject) throws(TokenError) -> Secret {
        try decipher(block: block, with: PermittedKey(key) {})
    }
}
