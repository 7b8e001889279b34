// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Containers
import GOST
package import Secrets
package import Token

/// `CKA_UNIQUE_ID` (PKCS #11 v3.0, 4.4.1): 32 hexadecimal digits.
///
/// A token stores none for a new object: the identifier is derived from the object and from the random name of its
/// record's file. A changed object moves to another file. From then on its former identifier is one of its attributes.
package enum UniqueID {
    /// The identifier of a new object of a session.
    package static func random(_ source: any RandomSource) throws -> [UInt8] { digits(try source.bytes(16)) }

    /// The identifier of what has these properties.
    package static func derived(from fields: [[UInt8]]) -> [UInt8] {
        // Each field has its length before it, so that no two lists of fields are the same bytes.
        digits(Streebog256.hash(fields.flatMap { CK_ULONG(clamping: $0.count).bytes + $0 }).prefix(16))
    }

    private static func digits(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let digits: [UInt8] = bytes.flatMap { [$0 >> 4, $0 & 0x0F] }
        return digits.map { $0 < 10 ? 0x30 + $0 : 0x57 + $0 }
    }
}

extension TokenObject {
    /// The object's identifier.
    package var uniqueID: [UInt8] { self[CKA_UNIQUE_ID] ?? derivedUniqueID }

    /// The identifier of an object that a token keeps, unless its attributes have one.
    package var derivedUniqueID: [UInt8] { UniqueID.derived(from: identity) }

    /// The properties that distinguish it from all others on its token, those that are gone included, as long as its
    /// record is not rewritten. None is secret to those who see the object.
    fileprivate var identity: [[UInt8]] {
        if let container {
            // The place and the key, which stay while another program rewrites the files.
            let kind = key.map { $0.half == .publicKey ? "public" : "private" } ?? "certificate"
            return identity("container") + [Array(kind.utf8), container.key.fingerprint, certificate ?? []]
        }
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

    private var certificate: [UInt8]? { if case .certificate(_, let value) = content { value } else { nil } }

    private func identity(_ kind: StaticString) -> [[UInt8]] {
        [Array("\(kind)".utf8), CK_ULONG(file).bytes, [isForeign ? 1 : 0]]
    }

    private var attributeList: [[UInt8]] {
        attributes.sorted { $0.key < $1.key }.flatMap { [CK_ULONG($0.key).bytes, $0.value] }
    }
}

extension CardKey {
    /// The name of the kind, and parameters.
    fileprivate var identity: (StaticString, [UInt8]) {
        switch self {
        case .gost(let key): ("key", key.curve.oid)
        case .rsa(let key): ("key of RSA", CK_ULONG(clamping: key.size.bits).bytes)
        case .ec(let key): ("key of a curve", key.parameters)
        }
    }
}
