// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// Whether a content, as it passes by, has the form of signed attributes (RFC 5652, 5.3): one SET OF Attribute in DER.
///
/// A signature without signed attributes covers the content, one with them covers the attributes. So a message with
/// attributes could be turned into one without, whose content they are, under the same signature.
package struct ContentForm: Sendable {
    /// As many bytes as hold the lengths of the set and of its first member, and the type of that.
    private var beginning: [UInt8] = []
    private var count = 0

    private static let limit = 256

    package init() {}

    package mutating func update(_ data: Span<UInt8>) {
        for index in 0..<min(data.count, Self.limit - beginning.count) { beginning.append(data[index]) }
        count = count.addingReportingOverflow(data.count).partialValue
    }

    /// Whether all that has passed by is a SET whose first member is a SEQUENCE of an OBJECT IDENTIFIER and a SET.
    package var isAttributes: Bool {
        var rest = beginning[...]
        guard let length = Self.length(0x31, &rest), length == count - (beginning.count - rest.count),
            Self.length(0x30, &rest) != nil, let type = Self.length(0x06, &rest)
        else { return false }
        // A type longer than what was kept counts too.
        let next = rest.dropFirst(type).first
        return next == nil || next == 0x31
    }

    /// Reads a tag and a length; nil for another tag.
    private static func length(_ tag: UInt8, _ bytes: inout ArraySlice<UInt8>) -> Int? {
        guard bytes.popFirst() == tag, let first = bytes.popFirst() else { return nil }
        guard first >= 0x80 else { return Int(first) }
        let count = Int(first & 0x7F)
        guard (1...4).contains(count), bytes.count >= count else { return nil }
        let length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        bytes = bytes.dropFirst(count)
        return length
    }
}
