// SPDX-License-Identifier: Apache-2.0
import Secrets

/// The tags of X.690 that keys and certificates are made of.
package enum DERTag: UInt8 {
    case boolean = 0x01
    case integer = 0x02
    case bitString = 0x03
    case octetString = 0x04
    case null = 0x05
    case objectIdentifier = 0x06
    case enumerated = 0x0A
    case utf8String = 0x0C
    case numericString = 0x12
    case printableString = 0x13
    case teletexString = 0x14
    case ia5String = 0x16
    case utcTime = 0x17
    case generalizedTime = 0x18
    case visibleString = 0x1A
    case generalString = 0x1B
    case universalString = 0x1C
    case bmpString = 0x1E
    case sequence = 0x30
    case set = 0x31
    /// [0], primitive.
    case contextPrimitive0 = 0x80
    /// [0], constructed.
    case context0 = 0xA0
    /// [1], constructed.
    case context1 = 0xA1
    /// [2], constructed.
    case context2 = 0xA2
    /// [1], primitive.
    case issuerUniqueID = 0x81
    /// [2], primitive.
    case subjectUniqueID = 0x82
    /// [3], constructed.
    case context3 = 0xA3
    /// [4], constructed.
    case context4 = 0xA4
    /// [5], primitive.
    case contextPrimitive5 = 0x85
    /// [6], primitive.
    case contextPrimitive6 = 0x86
    /// [10], primitive.
    case contextPrimitive10 = 0x8A
    /// [11], primitive.
    case contextPrimitive11 = 0x8B
    /// [12], constructed.
    case context12 = 0xAC
}

/// Tags that certificates have other names for.
extension DERTag {
    /// [1], primitive.
    package static var contextPrimitive1: DERTag { .issuerUniqueID }

    /// [2], primitive.
    package static var contextPrimitive2: DERTag { .subjectUniqueID }
}

extension DERTag {
    /// The tag and the length of an element with as many bytes of contents.
    package func header(count: Int) -> [UInt8] {
        var header = [rawValue]
        header.appendDERLength(count)
        return header
    }

    /// The element with these contents.
    package func element(_ contents: [UInt8]) -> [UInt8] {
        header(count: contents.count) + contents
    }
}
