// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import Containers
package import Token

/// The attributes of an object by their types in PKCS #11, whether a token keeps it or a program describes it.
package protocol ObjectAttributes {
    subscript(type: CK_ATTRIBUTE_TYPE) -> [UInt8]? { get }
}

extension ObjectAttributes {
    /// The type of a key pair's half; nil for every other object.
    package var keyType: KeyType? { keyTypeNumber.flatMap { KeyType($0) } }

    /// The type of a secret key; nil for every other object.
    package var secretKeyType: SecretKeyType? { keyTypeNumber.flatMap { SecretKeyType($0) } }

    private var keyTypeNumber: CK_KEY_TYPE? { self[CKA_KEY_TYPE].flatMap { CK_ULONG(bytes: $0) } }

    /// Whether a key may be used by a mechanism: an empty list allows all.
    package func allows(mechanism: CK_MECHANISM_TYPE) -> Bool {
        guard let list = self[CKA_ALLOWED_MECHANISMS], !list.isEmpty else { return true }
        let number = mechanism.bytes
        return stride(from: 0, to: list.count, by: number.count).contains { list.dropFirst($0).starts(with: number) }
    }
}

extension TokenObject: ObjectAttributes {
    /// An attribute that the token keeps by its type, or that follows from the object.
    package subscript(type: CK_ATTRIBUTE_TYPE) -> [UInt8]? {
        get {
            if let number = UInt32(exactly: type), let value = attributes[number] { return value }
            return containerAttributes[type] ?? key?.attributes[type]
        }
        set { attributes[UInt32(truncatingIfNeeded: type)] = newValue }
    }

    /// The attributes that follow from a container; none outside of one.
    package var containerAttributes: [CK_ATTRIBUTE_TYPE: [UInt8]] {
        guard let container else { return [:] }
        var attributes: [CK_ATTRIBUTE_TYPE: [UInt8]] = [CKA_MODIFIABLE: [0], CKA_COPYABLE: [0], CKA_DESTROYABLE: [0]]
        guard let key else { return attributes }
        attributes[CKA_START_DATE] = container.key.period?.begin.map { Array($0.utf8.prefix(8)) }
        attributes[CKA_END_DATE] = container.key.period?.end.map { Array($0.utf8.prefix(8)) }
        if key.half == .privateKey { attributes[CKA_ALWAYS_AUTHENTICATE] = [container.needsPassword ? 1 : 0] }
        return attributes
    }

    /// The name that it was given; invalid UTF-8 becomes U+FFFD.
    package var name: String { String(decoding: self[CKA_LABEL] ?? label, as: UTF8.self) }
    /// The identifier that it was given.
    package var identifier: [UInt8] { self[CKA_ID] ?? id }
    /// Whether the SO has marked a certificate as trusted.
    package var isTrusted: Bool { self[CKA_TRUSTED] == [1] }
    package var isCertificate: Bool { if case .certificate = content { true } else { false } }
    /// Whether only User sees it.
    package var isHidden: Bool { self[CKA_PRIVATE].map { $0 == [1] } ?? isPrivate }
}

extension CK_ULONG {
    /// The number that an attribute's value or a mechanism's parameter holds; nil if it has a different size.
    package init?(bytes: [UInt8]) {
        guard bytes.count == MemoryLayout<CK_ULONG>.size else { return nil }
        self = bytes.reversed().reduce(0) { $0 << 8 | CK_ULONG($1) }
    }

    /// The bytes of the number as an attribute's value holds them. All supported hosts are little-endian.
    package var bytes: [UInt8] {
        (0..<MemoryLayout<CK_ULONG>.size).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
    }
}
