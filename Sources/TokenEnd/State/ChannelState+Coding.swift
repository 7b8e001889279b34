// SPDX-License-Identifier: Apache-2.0
package import APDU
import Secrets

/// The encoding of the secure channel's lasting state.
extension ChannelState {
    package func append(to bytes: inout [UInt8]) {
        bytes.append(profiles)
        for profile in ChannelProfile.allCases {
            guard let key = keys[profile] else { continue }
            bytes.appendSealed(key.scalar)
            bytes += key.publicKey
        }
        bytes.appendUInt32(clock)
        bytes.append(UInt8(truncatingIfNeeded: slots.count))
        for slot in slots {
            bytes.append(slot == nil ? 0 : 1)
            slot?.append(to: &bytes)
        }
        bytes.append(UInt8(truncatingIfNeeded: records.count))
        for record in records {
            bytes.append(record == nil ? 0 : 1)
            record?.append(to: &bytes)
        }
    }

    /// - Parameter version: 1 for a state that knew the classic profile only.
    package init(from cursor: inout ByteCursor, _ version: Int) throws(MalformedBytes) {
        let profiles = version == 1 ? [.classic] : try ChannelProfile.list(try cursor.byte())
        var keys: [ChannelProfile: TokenKey] = [:]
        for profile in profiles {
            guard let scalar = try cursor.sealed() else { throw MalformedBytes() }
            keys[profile] = TokenKey(scalar: scalar, publicKey: try cursor.bytes(64))
        }
        let clock = try cursor.uint32()
        var slots: [ActivationSlot?] = []
        for _ in 0..<(try cursor.byte()) { slots.append(try ActivationSlot(from: &cursor)) }
        var records: [PairingRecord?] = []
        for _ in 0..<(try cursor.byte()) { records.append(try PairingRecord(from: &cursor)) }
        guard slots.count == 6 else { throw MalformedBytes() }
        self.init(keys: keys, records: 0)
        self.clock = clock
        self.slots = slots
        self.records = records
    }
}

extension ChannelProfile {
    /// The profiles of a list.
    fileprivate static func list(_ bits: UInt8) throws(MalformedBytes) -> [ChannelProfile] {
        let profiles = allCases.filter { $0.bit & bits != 0 }
        guard !profiles.isEmpty, profiles.reduce(0, { $0 | $1.bit }) == bits else { throw MalformedBytes() }
        return profiles
    }
}

extension ActivationSlot {
    fileprivate func append(to bytes: inout [UInt8]) {
        bytes.append(profiles)
        bytes += salt
        for profile in ChannelProfile.allCases {
            if let verifier = verifiers[profile] { bytes.appendSealed(verifier) }
        }
        for number in [c1, c2, c3] { bytes.appendUInt16(number) }
        bytes.append((isOneTime ? 1 : 0) | (isConsumed ? 2 : 0))
    }

    /// Nil for an empty slot.
    fileprivate init?(from cursor: inout ByteCursor) throws(MalformedBytes) {
        guard try cursor.byte() != 0 else { return nil }
        let profiles = try ChannelProfile.list(try cursor.byte())
        let salt = try cursor.bytes(16)
        var verifiers: [ChannelProfile: Sealed] = [:]
        for profile in profiles {
            guard let verifier = try cursor.sealed() else { throw MalformedBytes() }
            verifiers[profile] = verifier
        }
        self.init(salt: salt, verifiers: verifiers)
        c1 = try cursor.uint16()
        c2 = try cursor.uint16()
        c3 = try cursor.uint16()
        let marks = try cursor.byte()
        isOneTime = marks & 1 != 0
        isConsumed = marks & 2 != 0
    }
}

extension PairingRecord {
    fileprivate func append(to bytes: inout [UInt8]) {
        bytes += [isActive ? 1 : 0, profile.rawValue, UInt8(truncatingIfNeeded: slot)]
        bytes += hostIdentity + publicKey
        bytes.appendField(label)
        bytes.appendUInt32(created)
        bytes.appendUInt32(lastUsed)
    }

    /// Nil for a free record.
    fileprivate init?(from cursor: inout ByteCursor) throws(MalformedBytes) {
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
