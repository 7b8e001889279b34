// SPDX-License-Identifier: Apache-2.0

package import APDU
import Secrets

/// The structures of PC/SC part 10, 2.5.2 and 2.5.3. Numbers in them are little-endian.
extension PINEntry {
    /// The time for each PIN to be typed in, in seconds.
    private static let patience: UInt8 = 30
    /// Positions in bytes, the PIN left-justified from the first, in ASCII.
    private static let format: UInt8 = 0x82
    /// The end of a PIN is a key.
    private static let endsByKey: UInt8 = 0x02
    /// English (United States), for readers with a display.
    private static let language: [UInt8] = [0x09, 0x04]

    /// The feature of a reader that does it.
    package var feature: ReaderProperties.Feature {
        switch pin {
        case .present: .verifyPIN
        case .new: .modifyPIN
        }
    }

    /// `PIN_VERIFY_STRUCTURE` or `PIN_MODIFY_STRUCTURE`.
    ///
    /// - Parameter hasDisplay: Whether the reader is to show its messages.
    package func structure(hasDisplay: Bool) -> [UInt8] {
        let header = [cla, ins, p1, p2]
        switch pin {
        case .present(let lengths):
            // Without a size of the block the reader sends as many bytes as were typed, and writes Lc.
            let fields: [UInt8] =
                [Self.patience, Self.patience, Self.format, 0x00, 0x00, Self.byte(lengths.upperBound)]
                + [Self.byte(lengths.lowerBound), Self.endsByKey, hasDisplay ? 0xFF : 0x00] + Self.language + [0x00]
            return Self.ending(fields, header + [0x00])
        case .new(let count, let start):
            // Typed twice; messages 1 and 2 of the reader ask for it.
            let fields: [UInt8] =
                [Self.patience, Self.patience, Self.format, Self.byte(min(count, Self.longestNew)), 0x00, 0x00]
                + [Self.byte(start.count), Self.byte(count), Self.byte(count), 0x01, Self.endsByKey]
                + [hasDisplay ? 0x02 : 0x00] + Self.language + [0x01, 0x02, 0x02]
            let data = start + [UInt8](repeating: 0xFF, count: count)
            return Self.ending(fields, header + [Self.byte(data.count)] + data)
        }
    }

    /// The fields, a prologue of T=1 that the driver writes, and the command with its length.
    private static func ending(_ fields: [UInt8], _ command: [UInt8]) -> [UInt8] {
        fields + [0x00, 0x00, 0x00] + [byte(command.count & 0xFF), byte(command.count >> 8), 0x00, 0x00] + command
    }

    private static func byte(_ number: Int) -> UInt8 { UInt8(clamping: number) }
}
