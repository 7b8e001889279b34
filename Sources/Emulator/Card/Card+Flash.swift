// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets
import TokenEnd

/// The card's answers about the drive of a token that has one (vendor).
extension Card {
    /// `80 53 12 00`: the size in megabytes; `80 53 11 00`: an object `80` for each volume.
    func flash(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.data.isEmpty && command.ne != nil, else: .wrongLength)
        let volumes = identity.volumes ?? []
        switch (command.p1, command.p2) {
        case (0x12, 0x00):
            var size: [UInt8] = []
            size.appendUInt32(Volume.driveSize)
            return Response(.success, data: size)
        case (0x11, 0x00):
            return Response(.success, data: volumes.reduce(into: []) { $0.appendObject(0x80, $1.record) })
        default: throw Refusal(.incorrectParameters)
        }
    }
}

/// A volume of a token's drive.
struct Volume: Sendable {
    enum Mode: UInt8 { case hidden = 0x00, readOnly = 0x01, readWrite = 0x03, compactDisc = 0x05 }

    /// In megabytes; more than the volumes have.
    static let driveSize: UInt32 = 30_436

    let number: UInt8
    let mode: Mode
    /// In megabytes.
    let size: Int
    /// Two bytes of unknown meaning, the second perhaps a mask, and the access conditions, coded as in
    /// ``AccessConditions``.
    let conditions: [UInt8]

    /// Number, mode, size, conditions, and eight zeros.
    var record: [UInt8] {
        var record: [UInt8] = [number, mode.rawValue]
        record.appendUInt16(size)
        record += conditions + [UInt8](repeating: 0, count: 8)
        return record
    }

    /// The volumes of a real token.
    static let standard = [
        Volume(
            number: 1, mode: .compactDisc, size: 334, conditions: [0x00, 0x3F, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01]),
        Volume(
            number: 2, mode: .hidden, size: 29_102, conditions: [0x00, 0x3F, 0x02, 0xFF, 0xFF, 0x02, 0xFF, 0xFF]),
        Volume(
            number: 3, mode: .hidden, size: 500, conditions: [0x01, 0x3D, 0xFF, 0x00, 0xFF, 0xFF, 0xFF, 0xFF]),
    ]
}
