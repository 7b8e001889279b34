// SPDX-License-Identifier: Apache-2.0

package import APDU
import GOST
import Locking

/// The properties of an activation slot: E3 (GSC/1, 4). Never authenticated.
package struct SlotInformation: Sendable {
    package let state: TokenHints.SlotState
    package let profiles: Set<Profile>
    /// The number of wrong passwords that the slot still accepts, until its tries are reset or it gets a new password:
    /// the least of C1, C2 and C3.
    package let triesLeft: Int
    /// 16 bytes that were mixed into the slot's verifiers.
    let salt: [UInt8]

    /// Asks the token for slot 1 to 6, in plain.
    package static func read(slot: UInt8, over link: any CardConnection) throws(ChannelError) -> SlotInformation {
        let response = try linking { () throws(LinkError) in
            try link.exchange(Command(0x80, 0xCA, 0x47, slot, ne: 256))
        }
        guard response.status == .success else { throw .refused(response.status) }
        return try parsing { () throws(MalformedBytes) in try SlotInformation(parsing: response.data, slot: slot) }
    }

    private init(parsing bytes: [UInt8], slot: UInt8) throws(MalformedBytes) {
        var outer = ByteCursor(bytes)
        var inner = ByteCursor(try outer.object(0xE3))
        try outer.finish()
        _ = try inner.number(0x80, in: slot...slot)
        guard let state = TokenHints.SlotState(rawValue: try inner.number(0x81, in: 0...4)) else {
            throw MalformedBytes()
        }
        self.state = state
        profiles = Profile.set(bits: try inner.number(0x82, in: 0...0xFF))
        salt = try inner.object(0x83, length: 16)
        _ = try inner.number(0x84, in: 1...1)
        let inARow = Int(try inner.number(0x85, in: 0...0xFF)), wrong = Int(try inner.number(0x86, in: 0...0xFF))
        var all = ByteCursor(try inner.object(0x87, length: 2))
        triesLeft = min(inARow, wrong, Int(try all.uint16()))
        try inner.finish()
    }
}
