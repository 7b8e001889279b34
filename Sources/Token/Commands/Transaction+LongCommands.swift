// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets

/// Commands whose data are longer than one APDU.
extension Transaction {
    /// Sends a command: the channel cuts its data itself, else they go in a chain of commands (ISO/IEC 7816-4, 5.3.3).
    func performLong(
        _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, _ data: borrowing Secret, ne: Int? = nil
    ) throws(TokenError) -> Secret {
        var start = 0
        while isPlain, data.count - start > 255 {
            try perform(Command(0x10, ins, p1, p2, data: data.extracting(start..<start + 255)))
            start += 255
        }
        // If only short APDUs are possible, more than 256 bytes are fetched with GET RESPONSE.
        return try performSecret(
            Command(0x00, ins, p1, p2, data: data.extracting(start..<data.count), ne: ne.map { min($0, 256) }))
    }

    /// CHANGE REFERENCE DATA of the selected key file. The value is cut into pieces with a header each, as long as the
    /// commands of a chain.
    func importSelected(_ value: borrowing Secret) throws(TokenError) {
        var total: [UInt8] = [0x80, 0x02]
        total.appendUInt16(value.count)
        var data = Secret(copying: total)
        var start = 0
        while start < value.count {
            let end = min(start + 255 - 2 - (start == 0 ? total.count : 0), value.count)
            data = data.appending([0xA5, UInt8(truncatingIfNeeded: end - start)].span)
            data = data.appending(value.bytes.extracting(start..<end))
            start = end
        }
        _ = try performLong(0x24, 0x01, 0x00, data)
    }
}
