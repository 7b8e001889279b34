// SPDX-License-Identifier: Apache-2.0

import APDU

/// The identity and abilities of a token: E1 of discovery (GSC/1, 4).
///
/// E1 is not authenticated until a channel is open with it, so that it may raise the protection and never lower it.
package struct Capabilities: Sendable, Equatable {
    /// When the token asks for protection and permits pairing.
    package struct Policy: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let requiredWireless = Policy(rawValue: 1 << 0)
        package static let requiredWired = Policy(rawValue: 1 << 1)
        package static let noPairingWireless = Policy(rawValue: 1 << 2)
        package static let noPairingWired = Policy(rawValue: 1 << 3)
        package static let pairingNeedsButton = Policy(rawValue: 1 << 4)
    }

    /// Optional features of the token.
    package struct Features: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let batch = Features(rawValue: 1 << 0)
    }

    /// E1 as it was received; it enters pairing and opening.
    package let bytes: [UInt8]
    /// SER, 8 bytes.
    package let serial: [UInt8]
    package let profiles: Set<Profile>
    /// The greatest plaintext of one protected command, in bytes.
    package let maxCommand: Int
    /// The greatest plaintext of one protected reply, in bytes.
    package let maxReply: Int
    package let policy: Policy
    /// The number of pairing records that the token can hold.
    package let maxRecords: Int
    /// The number of activation slots, 1 to 6.
    package let slots: Int
    /// N, the number of parallel sessions, 1 to 4.
    package let sessions: Int
    package let features: Features

    /// "GSC/1"
    static let protocolName: [UInt8] = Array("GSC/1".utf8)

    /// Reads E1, tag and length included.
    ///
    /// - Throws: ``ChannelError/protocolUnknown`` if it names a different protocol,
    ///   ``ChannelError/malformedCapabilities`` if it is not as section 4 prescribes.
    package init(parsing bytes: [UInt8]) throws(ChannelError) {
        let name = try parsing(otherwise: .malformedCapabilities) { () throws(MalformedBytes) in
            var outer = ByteCursor(bytes)
            var inner = ByteCursor(try outer.object(0xE1))
            try outer.finish()
            return try inner.object(0x80)
        }
        guard name == Capabilities.protocolName else { throw .protocolUnknown }
        self = try parsing(otherwise: .malformedCapabilities) { () throws(MalformedBytes) in
            try Capabilities(checking: bytes)
        }
    }

    private init(checking bytes: [UInt8]) throws(MalformedBytes) {
        var outer = ByteCursor(bytes)
        var inner = ByteCursor(try outer.object(0xE1))
        self.bytes = bytes
        _ = try inner.object(0x80)
        serial = try inner.object(0x81, length: 8)
        profiles = Profile.set(bits: try inner.number(0x82, in: 1...0xFF))
        maxCommand = try inner.size(0x83)
        maxReply = try inner.size(0x84)
        policy = Policy(rawValue: try inner.number(0x85, in: 0...0xFF))
        maxRecords = Int(try inner.number(0x86, in: 1...0xFF))
        slots = Int(try inner.number(0x87, in: 1...6))
        sessions = Int(try inner.number(0x88, in: 1...4))
        features = Features(rawValue: inner.isAtEnd ? 0 : try inner.number(0x89, in: 0...0xFF))
        try inner.finish()
    }

    /// The highest profile that host and token have; nil if they have none in common.
    package var bestProfile: Profile? { profiles.max() }

    /// The profile to pair in: the highest that host and token have (section 4).
    ///
    /// - Parameters:
    ///   - minimum: The lowest profile that the host accepts.
    ///   - pinned: The highest profile that host and token ever were paired in.
    /// - Throws: ``ChannelError/downgradeSuspected`` if the token offers less than it did,
    ///   ``ChannelError/profileUnsupported`` if it offers less than the host accepts. Nothing is to be sent then.
    package func profile(minimum: Profile, pinned: Profile?) throws(ChannelError) -> Profile {
        guard let best = bestProfile else { throw .profileUnsupported }
        guard best >= pinned ?? best else { throw .downgradeSuspected }
        guard best >= minimum else { throw .profileUnsupported }
        return best
    }
}
