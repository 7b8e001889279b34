// SPDX-License-Identifier: Apache-2.0

package import SecureChannel

/// A token that this user is paired with on this machine, by the store of pairings.
package struct PairedToken: Sendable, Equatable {
    /// The token's serial number, 8 bytes, big-endian.
    package let serial: [UInt8]
    package let profile: Profile
    /// ID_H, under which the token knows this host: 8 bytes.
    package let hostID: [UInt8]
    /// The token's label when it was last used; empty if it is not known.
    package let label: String
    /// When they were paired, in seconds since 1970.
    package let created: Int64
    /// When a channel was last opened, to the day, in seconds since 1970; nil if it is not known.
    package let lastUsed: Int64?
    /// Whether the store has a different key of the token than this user knows, so that it must be activated.
    package let isKeyChanged: Bool

    init(_ entry: PairingStore.Entry) {
        serial = entry.serial
        profile = entry.profile
        hostID = entry.record.hostID
        label = entry.label
        created = entry.created
        lastUsed = entry.lastUsed
        isKeyChanged = entry.isKeyChanged
    }
}
