// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import GOST
import Secrets
import Token

/// `CKA_UNIQUE_ID` (PKCS #11 v3.0, 4.4.1): 32 hexadecimal digits.
///
/// A token stores none for a new object: the identifier is derived from the object and from the random name of its
/// record's file. A changed object moves to another file. From then on its former identifier is one of its attributes.
enum UniqueID {
    /// The identifier of a new object of a session.
    static func random(_ source: any RandomSource) throws(CKError) -> [UInt8] {
        do { return digits(try source.bytes(16)) } catch { throw .functionFailed }
    }

    /// The identifier of an object that a token keeps, unless its attributes have one.
    static func derived(from object: TokenObject) -> [UInt8] { derived(from: object.identity) }

    /// The identifier of a profile.
    static func derived(from profile: CK_ULONG) -> [UInt8] { derived(from: [Array("profile".utf8), profile.bytes]) }

    private static func derived(from fields: [[UInt8]]) -> [UInt8] {
        // Each field has its length before it, so that no two lists of fields are the same bytes.
        digits(Streebog256.hash(fields.flatMap { CK_ULONG($0.count).bytes + $0 }).prefix(16))
    }

    private static func digits(_ octets: some Sequence<UInt8>) -> [UInt8] {
        octets.flatMap { octet in [octet >> 4, octet & 0x0F].map { $0 < 10 ? 0x30 + $0 : 0x57 + $0 } }
    }
}

extension TokenObject {
    /// The properties that distinguish it from all others on its token, those that are gone included, as long as its
    /// record is not rewritten. None is secret to those who see the object.
    fileprivate var identity: [[UInt8]] {
        switch content {
        case .key(let key):
            // The number of a key file stays the same for as long as the key exists.
            let (name, parameters) = key.kind.identity
            return identity(name) + [[key.half == .publicKey ? 1 : 0, key.number], parameters]
        case .certificate(_, let value): return identity("certificate") + [value ?? []]
        // The value, which may be a secret, stays out of it.
        case .data(let data): return identity("data") + [label, data.application, data.objectIdentifier]
        case .secretKey: return identity("secret key") + attributeList
        case .publicKey: return identity("public key") + attributeList
        }
    }

    private func identity(_ kind: StaticString) -> [[UInt8]] {
        [Array("\(kind)".utf8), CK_ULONG(file).bytes, [isForeign ? 1 : 0]]
    }

    private var attributeList: [[UInt8]] {
        attributes.sorted { $0.key < $1.key }.flatMap { [CK_ULONG($0.key).bytes, $0.value] }
    }
}

extension KeyKind {
    /// The name of the kind, and parameters.
    fileprivate var identity: (StaticString, [UInt8]) {
        for type in KeyType.allCases {
            if let identity = type.kind.identity(of: self) { return identity }
        }
        return ("", [])
    }
}
