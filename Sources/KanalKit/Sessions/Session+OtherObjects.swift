// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki

/// An object other than a key pair, certificate or data object: half of a key pair, or a secret key.
public struct OtherObject: Sendable, Equatable {
    /// The object's kind.
    public enum Kind: Sendable, Hashable {
        /// A public key without its private key; before the PIN, that of each pair.
        case publicKey(KeyKind)
        /// A secret key, by the name of its algorithm; nil for one that this library has no name for.
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

extension Session {
    /// All objects on the token beside key pairs, certificates and data objects.
    public func otherObjects() throws(KanalError) -> [OtherObject] {
        let halves = try keyPairs().compactMap(\.publicKey)
        let publicKeys = try objects([(CKA_CLASS, CKO_PUBLIC_KEY.octets), (CKA_TOKEN, [1])], [])
            .filter { handle, _ in !halves.contains { $0.handle == handle } }
            .map { OtherObject(.publicKey(KeyKind($0.attributes)), $0.handle, $0.attributes) }
        let secretKeys = try objects([(CKA_CLASS, CKO_SECRET_KEY.octets), (CKA_TOKEN, [1])], [])
            .map { OtherObject(.secretKey(algorithm: $0.attributes.algorithm), $0.handle, $0.attributes) }
        return publicKeys + secretKeys
    }

    /// Removes an object from the token, for ever. It takes the PIN.
    public func delete(_ object: OtherObject) throws(KanalError) { try delete(object.reference) }
}

extension OtherObject {
    fileprivate init(_ kind: Kind, _ handle: CK_OBJECT_HANDLE, _ attributes: Attributes) {
        self.kind = kind
        label = attributes.text(CKA_LABEL)
        id = attributes[CKA_ID] ?? []
        isPrivate = attributes[CKA_PRIVATE] == [1]
        reference = ObjectReference(handle, attributes)
    }
}

extension Attributes {
    /// The name of a secret key's algorithm.
    fileprivate var algorithm: String? {
        switch try? number(CKA_KEY_TYPE) {
        case CKK_GOST28147: "GOST 28147-89"
        case CKK_MAGMA: "Magma"
        case CKK_KUZNECHIK: "Kuznyechik"
        case CKK_MAGMA_TWIN_KEY: "Magma, two keys"
        case CKK_KUZNECHIK_TWIN_KEY: "Kuznyechik, two keys"
        case CKK_AES: "AES"
        case CKK_GENERIC_SECRET: "generic"
        case CKK_SHA_1_HMAC, CKK_SHA224_HMAC, CKK_SHA256_HMAC, CKK_SHA384_HMAC, CKK_SHA512_HMAC: "HMAC"
        default: nil
        }
    }
}
