// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets
import TokenEnd

/// GET DATA and PUT DATA with P1 = 01, and the vendor's commands that identify the token.
extension Card {
    /// The answer has its natural length, even if Le is larger.
    func getData(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.p1 == 0x01, else: .incorrectParameters)
        try require(command.data.isEmpty && command.ne != nil, else: .wrongLength)
        guard let object = dataObject(command.p2) else { throw Refusal(.referencedDataNotFound) }
        return Response(.success, data: object)
    }

    private func dataObject(_ tag: UInt8) -> [UInt8]? {
        var number: [UInt8] = []
        switch tag {
        case 0x01, 0x02: return state.fileSystem.pin(Int(tag))?.pinTemplate
        case 0x32: number.appendUInt32(state.changeCounter)
        case 0x62: return state.forcedChange
        case 0x72...0x75:
            let licence = state.licences[Int(tag - 0x72)]
            return licence + [UInt8](repeating: 0, count: Card.licenceSize - licence.count)
        case 0x7B: return state.journal
        case 0x81: return state.serial
        case 0x85 where identity.namesModel:
            return Array((identity.model.utf8 + [UInt8](repeating: 0, count: 128)).prefix(128))
        case 0x89: return versions
        case 0x8A: number.appendUInt32(UInt32(clamping: state.fileSystem.freeMemory))
        // Real tokens have no such object. It identifies an emulator with commands of its own.
        case 0xFE where !identity.isFilesOnly: return [UInt8]("RTEMU".utf8)
        case 0xF1 where identity.namesModel: return [0x0F, 0x10] + [UInt8](repeating: 0, count: 30)
        default: return nil
        }
        return number
    }

    private static let licenceSize = 72

    /// Hardware, firmware, who may change the user's PIN and whether there is a drive, and the protocol's number.
    private var versions: [UInt8] {
        let policy = state.fileSystem.pin(AccessConditions.user)?.conditions.condition(of: .update) ?? 0
        let firmware = [identity.firmware.0, identity.firmware.1]
        let flags = policy & 0x03 | (identity.volumes == nil ? 0x00 : 0x80)
        let (kind, chip, protocolNumber): (UInt8, UInt8, UInt8) =
            identity.isFilesOnly ? (0x02, 0x08, 0x02) : (0x01, 0x10, 0x04)
        return [kind, identity.hardware.0, chip, 0x01] + firmware + [flags] + firmware + [protocolNumber, 0x00, 0x00]
    }

    func putData(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.p1 == 0x01, else: .incorrectParameters)
        switch command.p2 {
        case 0x61: try putDefaultPIN(command)
        case 0x62:
            try authoriseTokenData()
            try require(command.data.count == 4, else: .wrongLength)
            state.forcedChange = [UInt8](copying: command.data)
            countChange()
        case 0x72...0x75:
            let owners: Set = [AccessConditions.administrator, AccessConditions.user]
            try require(
                state.isInitialising || !context.rights.isDisjoint(with: owners), else: .securityStatusNotSatisfied)
            try require(command.data.count == Card.licenceSize, else: .wrongLength)
            state.licences[Int(command.p2 - 0x72)] = [UInt8](copying: command.data)
        default:
            throw Refusal(.referencedDataNotFound)
        }
        return Response(.success)
    }

    /// `A6 LL <pin>`; an empty PIN stands for the standard one.
    private func putDefaultPIN(_ command: borrowing Command) throws(Refusal) {
        try authoriseTokenData()
        let bytes = command.data.bytes
        try require(bytes.count >= 2 && bytes[0] == 0xA6 && Int(bytes[1]) == bytes.count - 2, else: .incorrectData)
        let value = command.data.extracting(2..<bytes.count)
        state.defaultUserPIN = value.isEmpty ? nil : SharedSecret(value.copy())
        if !value.isEmpty, var pin = state.fileSystem.pin(AccessConditions.user)?.rightsFile {
            pin.flags |= RightsFileFlags.pinChanged
            state.fileSystem.replacePIN(AccessConditions.user, with: pin)
        }
        countChange()
    }

    /// The MF's condition for token data.
    private func authoriseTokenData() throws(Refusal) {
        guard let root = state.fileSystem[.root] else { throw Refusal(.fileNotFound) }
        try authorise(.putData, on: root)
    }

    /// Versions, serial number and algorithms in two levels of objects; most of it is a real token's answer,
    /// unexplained.
    func tokenInformation(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.p1 == 0 && command.p2 == 0, else: .incorrectParameters)
        try require(command.data.isEmpty && command.ne != nil, else: .wrongLength)
        let (hardware, firmware) = (identity.hardware, identity.firmware)
        let hardwareBlock: [UInt8] =
            [0x01, 0x00, 0x01, hardware.0, hardware.1, firmware.0, firmware.1, 0x00, 0x0F] + state.serial
            + [0x00, 0x10, 0x00, 0x80, 0, 0, 0, 0, 0]
        let token = [UInt8].objects([
            0x01: hardwareBlock, 0x02: [0x01, 0x00], 0x03: [0x04], 0x04: [0, 0, 0, 0], 0x05: [0x01, 0x01, 0x00],
            0x06: [0x01, 0x06, 0x01, 0x04, 0x06, 0x00, 0x00, 0x00],
        ])
        return Response(
            .success, data: .objects([0x40: token, 0x50: .objects(Card.algorithms), 0x51: [0x01, 0x01, 0x03]]))
    }

    /// The algorithms of the token information: bit masks whose bits are not known.
    private static let algorithms: KeyValuePairs<UInt8, [UInt8]> = [
        0x01: [0xFF, 0x7F, 0x0C, 0x00],
        0x02: [0x10, 0x01, 0x87, 0x11, 0x01, 0x0C],
        0x03: [0x10, 0x02, 0xFD, 0x03],
        0x04: [0x10, 0x02, 0xFD, 0x03],
        0x05: [0x12, 0x01, 0x01],
        0x06: [0x12, 0x01, 0x0C],
        0x07: [0x13, 0x01, 0x0E],
        0x08: [0x13, 0x04, 0x1E, 0x0E, 0x00, 0x00],
        0x09: [0x14, 0x01, 0xFF],
        0x0A: [0x13, 0x04, 0x60, 0x10, 0x01, 0x00],
        0x0B: [0x12, 0x01, 0x0C],
        0x0C: [0x13, 0x01, 0x0E, 0x15, 0x01, 0x01],
        0x0D: [0x13, 0x04, 0x1E, 0x0E, 0x00, 0x00, 0x15, 0x01, 0x02],
        0x0E: [0x13, 0x04, 0x00, 0x0E, 0x00, 0x00],
        0x0F: [0x13, 0x04, 0x7E, 0x1E, 0x01, 0x00],
        0x10: [0x13, 0x04, 0x1E, 0x00, 0x00, 0x00],
        0x14: [0x13, 0x04, 0x80, 0x00, 0x00, 0x00],
        0x15: [0x10, 0x02, 0xBD, 0x00],
    ]

    /// The firmware's checksum, or a value for a PIN that changes with each format.
    func vendorInformation(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.data.isEmpty && command.ne != nil, else: .wrongLength)
        switch (command.p1, command.p2) {
        case (0x00, 0x00):
            return Response(.success, data: [0xA5, 0x67, 0x46, 0x11])
        case (0x31...0x3F, 0x01):
            let digest = Streebog256.hash(state.formatNonce + [command.p1 & 0x0F])
            return Response(.success, data: Array(digest.prefix(4)))
        default:
            throw Refusal(.incorrectParameters)
        }
    }
}

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
