// SPDX-License-Identifier: Apache-2.0
import Containers
package import Token

/// An attribute of an object that a token keeps by its number in PKCS #11, as far as this target reads or writes it.
package enum RecordedAttribute: UInt32, CaseIterable {
    case objectClass = 0x0
    case isPrivate = 0x2
    case label = 0x3
    case uniqueID = 0x4
    case value = 0x11
    case isTrusted = 0x86
    case keyType = 0x100
    case subject = 0x101
    case id = 0x102
    case encrypts = 0x104
    case decrypts = 0x105
    case wraps = 0x106
    case signs = 0x108
    case verifies = 0x10A
    case recovers = 0x10B
    case derives = 0x10C
    case startDate = 0x110
    case endDate = 0x111
    case modulus = 0x120
    case modulusBits = 0x121
    case publicExponent = 0x122
    case publicKeyInfo = 0x129
    case isLocal = 0x163
    case generation = 0x166
    case isModifiable = 0x170
    case isCopyable = 0x171
    case isDestroyable = 0x172
    case ecParameters = 0x180
    case ecPoint = 0x181
    case alwaysAuthenticates = 0x202
    case gostR3410Parameters = 0x250
    case gostR3411Parameters = 0x251
    case gost28147Parameters = 0x252
    case wrapTemplate = 0x4000_0211
    case allowedMechanisms = 0x4000_0600
    case signsJournal = 0x8000_2002
}

extension TokenObject {
    /// An attribute that the token keeps by its number.
    package subscript(_ attribute: RecordedAttribute) -> [UInt8]? {
        get { attributes[attribute.rawValue] ?? containerAttributes[attribute] }
        set { attributes[attribute.rawValue] = newValue }
    }

    /// The attributes that follow from a container; none outside of one.
    package var containerAttributes: [RecordedAttribute: [UInt8]] {
        guard let container else { return [:] }
        var attributes: [RecordedAttribute: [UInt8]] = [.isModifiable: [0], .isCopyable: [0], .isDestroyable: [0]]
        guard let key else { return attributes }
        attributes[.startDate] = container.key.period?.begin.map { Array($0.utf8.prefix(8)) }
        attributes[.endDate] = container.key.period?.end.map { Array($0.utf8.prefix(8)) }
        if key.half == .privateKey { attributes[.alwaysAuthenticates] = [container.needsPassword ? 1 : 0] }
        return attributes
    }

    /// The name that it was given; invalid UTF-8 becomes U+FFFD.
    package var name: String { String(decoding: self[.label] ?? label, as: UTF8.self) }
    /// The identifier that it was given.
    package var identifier: [UInt8] { self[.id] ?? id }
    /// Whether the SO has marked a certificate as trusted.
    package var isTrusted: Bool { self[.isTrusted] == [1] }
    package var isCertificate: Bool { if case .certificate = content { true } else { false } }
    /// Whether only User sees it.
    package var isHidden: Bool { self[.isPrivate].map { $0 == [1] } ?? isPrivate }

    /// The number of the key's type in PKCS #11, of an object that is kept by attributes alone.
    package var recordedKeyType: UInt64? { self[.keyType]?.number }

    /// Whether a key may be used so; if its record does not say it, as keys are.
    package func allows(_ use: RecordedAttribute, otherwise isUsual: Bool) -> Bool {
        self[use].map { $0 == [1] } ?? isUsual
    }

    /// Whether a key may be used by a mechanism, by its number in PKCS #11: an empty list allows all.
    package func allows(mechanism: UInt64) -> Bool {
        guard let list = self[.allowedMechanisms], !list.isEmpty else { return true }
        let number = mechanism.bytes
        return stride(from: 0, to: list.count, by: number.count).contains { list.dropFirst($0).starts(with: number) }
    }
}

extension UInt64 {
    /// The number as an attribute's value holds it.
    package var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}

extension [UInt8] {
    /// The number that an attribute's value holds.
    fileprivate var number: UInt64? { count == 8 ? reversed().reduce(0) { $0 << 8 | UInt64($1) } : nil }
}
