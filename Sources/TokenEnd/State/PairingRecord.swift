// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets

/// A host that paired with the token (GSC/1, 9).
package struct PairingRecord: Sendable {
    package var isActive: Bool
    package var profile: ChannelProfile
    /// ID_H, eight bytes.
    package var hostIdentity: [UInt8]
    /// H_pub, X ‖ Y, 64 bytes.
    package var publicKey: [UInt8]
    package var label: [UInt8]
    package var slot: Int
    package var created: UInt32
    package var lastUsed: UInt32

    package init(
        isActive: Bool, profile: ChannelProfile, hostIdentity: [UInt8], publicKey: [UInt8], label: [UInt8], slot: Int,
        created: UInt32, lastUsed: UInt32
    ) {
        self.isActive = isActive
        self.profile = profile
        self.hostIdentity = hostIdentity
        self.publicKey = publicKey
        self.label = label
        self.slot = slot
        self.created = created
        self.lastUsed = lastUsed
    }
}

extension PairingRecord {
    func append(to bytes: inout [UInt8]) {
        bytes += [isActive ? 1 : 0, profile.rawValue, UInt8(truncatingIfNeeded: slot)]
        bytes += hostIdentity + publicKey
        bytes.appendField(label)
        bytes.appendUInt32(created)
        bytes.appendUInt32(lastUsed)
    }

    /// Nil for a free record.
    init?(from cursor: inout ByteCursor) throws(MalformedBytes) {
        guard try cursor.byte() != 0 else { return nil }
        isActive = try cursor.byte() != 0
        guard let profile = ChannelProfile(rawValue: try cursor.byte()) else { throw MalformedBytes() }
        self.profile = profile
        slot = Int(try cursor.byte())
        hostIdentity = try cursor.bytes(8)
        publicKey = try cursor.bytes(64)
        label = try cursor.field()
        created = try cursor.uint32()
        lastUsed = try cursor.uint32()
        guard (1...6).contains(slot) else { throw MalformedBytes() }
    }
}
