// SPDX-License-Identifier: Apache-2.0

import APDU
import Secrets
import Token
import Tokens

/// An object other than a key pair, certificate or data object: half of a key pair, or a secret key.
public struct OtherObject: Sendable, Equatable {
    /// The object's kind.
    public enum Kind: Sendable, Hashable {
        /// A public key without its private key; before the PIN, each pair's.
        case publicKey(KeyKind)
        /// A secret key, by the name of its algorithm; nil for an algorithm that this library does not name.
        case secretKey(algorithm: String?)
    }

    /// The object's kind.
    public let kind: Kind
    /// The name that it was given.
    public let label: String
    /// The identifier that it was given.
    public let id: [UInt8]
    /// Whether it is seen after the PIN only.
    public let isPrivate: Bool
    let reference: ObjectReference
}

extension OtherObject {
    static func all(in objects: [TokenObject]) -> [OtherObject] {
        let halves = objects.keyPairs.compactMap(\.publicKey)
        let publicKeys = objects.filter { $0.isPublicKey && !halves.contains($0) }
            .map { OtherObject(.publicKey(KeyKind($0)), $0) }
        let secretKeys = objects.filter { if case .secretKey = $0.content { true } else { false } }
            .map { OtherObject(.secretKey(algorithm: $0.algorithm), $0) }
        return publicKeys + secretKeys
    }

    fileprivate init(_ kind: Kind, _ object: TokenObject) {
        self.kind = kind
        label = object.name
        id = object.identifier
        isPrivate = object.isHidden
        reference = ObjectReference(object)
    }
}
