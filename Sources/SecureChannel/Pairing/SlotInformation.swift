// SPDX-License-Identifier: Apache-2.0
import APDU

/// The properties of an activation slot that a pairing needs: E3 (GSC/1, 4).
struct SlotInformation {
    let profiles: Set<Profile>
    /// 16 octets that were mixed into the slot's verifiers.
    let salt: [UInt8]

    /// Asks the token for slot 1 to 6, in plain.
    static func read(slot: UInt8, over link: any CardConnection) throws(ChannelError) -> SlotInformation {
        let response = try linking { () throws(LinkError) in
            try link.exchange(Command(0x80, 0xCA, 0x47, slot, ne: 256))
        }
        guard response.status == .success else { throw .refused(response.status) }
        return try parsing { () throws(MalformedBytes) in try SlotInformation(parsing: response.data, slot: slot) }
    }

    private init(parsing octets: [UInt8], slot: UInt8) throws(MalformedBytes) {
        var outer = ByteCursor(octets)
        var inner = ByteCursor(try outer.object(0xE3))
        try outer.finish()
        _ = try inner.number(0x80, in: slot...slot)
        _ = try inner.number(0x81, in: 0...4)
        profiles = Profile.set(bits: try inner.number(0x82, in: 0...0xFF))
        salt = try inner.object(0x83, length: 16)
        _ = try inner.number(0x84, in: 1...1)
        _ = try inner.object(0x85, length: 1)
        _ = try inner.object(0x86, length: 1)
        _ = try inner.object(0x87, length: 2)
        try inner.finish()
    }
}
