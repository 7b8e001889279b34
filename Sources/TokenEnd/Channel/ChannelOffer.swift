// SPDX-License-Identifier: Apache-2.0

package import APDU

/// The description of a token's end of the secure channel (GSC/1, 4, E1).
package struct ChannelOffer: Sendable {
    /// The profiles of a new token.
    package var profiles = ChannelProfile.allCases
    /// The greatest plaintext of a protected command and of a protected reply, in bytes; at least 128.
    ///
    /// More than ``shortLimit`` for commands means that the token accepts extended APDUs.
    package var maximumCommand = shortLimit
    package var maximumReply = shortLimit
    /// b0 channel required on wireless readers, b1 on wired ones, b2 and b3 pairing forbidden there.
    package var policy: UInt8 = 0x03
    /// The number of hosts that can be paired.
    package var records = 16
    /// The number of activation passwords, 1...6.
    package var slots = 6
    /// The number of sessions that can be open at once, 1...4.
    package var sessions = 4
    /// Whether a session that is opened ends all others, however many there can be: the card behind the end has one
    /// state for all.
    package var endsOthers = false
    /// The features object: b0 batch; nil if it is absent.
    package var features: UInt8? = batch
    /// Whether the token is reached over the air.
    package var isWireless = true

    /// The greatest plaintext in short APDUs (GSC/1, 13.3).
    package static let shortLimit = 238
    /// The feature that several commands can come as one.
    package static let batch: UInt8 = 0x01

    package init() {}

    var isRequired: Bool { policy & (isWireless ? 0x01 : 0x02) != 0 }
    var isPairingForbidden: Bool { policy & (isWireless ? 0x04 : 0x08) != 0 }
    /// Whether the administrator may do in plain what the channel's table leaves to him (GSC/1, 6, "SO").
    var isAdministrationPlain: Bool { !isWireless && policy & 0x02 == 0 }
    var isForOne: Bool { sessions == 1 || endsOthers }
    var hasBatch: Bool { (features ?? 0) & ChannelOffer.batch != 0 }
    var takesExtendedLength: Bool { maximumCommand > ChannelOffer.shortLimit }
}

/// Refuses with `status` unless the condition holds.
package func require(_ condition: Bool, else status: StatusWord) throws(Refusal) {
    guard condition else { throw Refusal(status) }
}

extension StatusWord {
    /// The memory failed; nothing was changed (vendor).
    package static let memoryUnchanged = StatusWord(0x6400)
}
