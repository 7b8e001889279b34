// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST

/// A host in the token's list of those it is paired with: E4 of LIST (GSC/1, 6).
package struct PairedHost: Sendable, Equatable {
    /// The identity of a host in the list. The token assigns a number that is free again to the next host; number,
    /// profile and ID_H together never belong to a different host.
    package struct ID: Sendable, Hashable {
        package let index: UInt8
        package let profile: Profile
        package let hostID: [UInt8]

        package init(index: UInt8, profile: Profile, hostID: [UInt8]) {
            self.index = index
            self.profile = profile
            self.hostID = hostID
        }
    }

    /// The number of the token's record.
    package let index: UInt8
    /// Whether the host has opened a channel since it was paired.
    package let isActive: Bool
    package let profile: Profile
    /// ID_H, 8 bytes.
    package let hostID: [UInt8]
    /// The host's name.
    package let label: String
    /// Whether it is this host, in the profile of the channel.
    package let isSelf: Bool

    package var id: ID { ID(index: index, profile: profile, hostID: hostID) }

    /// Reads a sequence of E4.
    static func list(parsing bytes: [UInt8]) throws(MalformedBytes) -> [PairedHost] {
        var cursor = ByteCursor(bytes)
        var hosts: [PairedHost] = []
        while !cursor.isAtEnd { hosts.append(try PairedHost(parsing: cursor.object(0xE4))) }
        return hosts
    }

    private init(parsing bytes: [UInt8]) throws(MalformedBytes) {
        var cursor = ByteCursor(bytes)
        index = try cursor.number(0x80, in: 1...0xFF)
        isActive = try cursor.number(0x81, in: 0...1) == 1
        guard let profile = Profile(rawValue: try cursor.number(0x82, in: 1...2)) else { throw MalformedBytes() }
        self.profile = profile
        hostID = try cursor.object(0x83, length: 8)
        let text = try cursor.object(0x84)
        guard text.count <= 32 else { throw MalformedBytes() }
        label = String(decoding: text, as: UTF8.self)
        isSelf = try cursor.number(0x85, in: 0...1) == 1
        try cursor.finish()
    }
}
