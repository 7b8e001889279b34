// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets

/// A command without secrets, named by its function. Several can be sent together.
struct CardCommand {
    let header: (cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8)
    let bytes: [UInt8]
    let ne: Int?

    init(_ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, bytes: [UInt8] = [], ne: Int? = nil) {
        header = (cla, ins, p1, p2)
        self.bytes = bytes
        self.ne = ne
    }

    var apdu: Command { Command(header.cla, header.ins, header.p1, header.p2, bytes: bytes, ne: ne) }
}

/// Information about the token.
extension CardCommand {
    /// GET DATA of the data object 01`number`.
    static func getData(_ number: UInt8, ne: Int) -> CardCommand { CardCommand(0x00, 0xCA, 0x01, number, ne: ne) }
    /// PUT DATA of the data object 01`number`.
    static func putData(_ number: UInt8, _ bytes: [UInt8]) -> CardCommand {
        CardCommand(0x00, 0xDA, 0x01, number, bytes: bytes)
    }

    /// GET DATA of the change counter.
    static let changeCounter = getData(0x32, ne: 4)
    /// GET DATA of the serial number.
    static let serial = getData(0x81, ne: 8)
    /// GET DATA of the name of the model.
    static let modelName = getData(0x85, ne: 0x80)
    /// GET DATA of the flags.
    static let flags = getData(0x89, ne: 12)
    /// GET DATA of the free memory.
    static let freeMemory = getData(0x8A, ne: 4)
    /// GET DATA of the record of the last signature.
    static let journal = getData(0x7B, ne: 256)
    /// GET DATA that only this project's tokens answer with `RTEMU`.
    static let productName = getData(0xFE, ne: 256)
    /// GET DATA of the limits and tries of a global PIN.
    static func pinState(_ role: ConnectedToken.Role) -> CardCommand { getData(role.rawValue, ne: 0x26) }
    /// GET DATA of whether User must change the PIN.
    static let pinChangeFlag = getData(pinChangeFlagNumber, ne: 4)
    /// PUT DATA of the same: User must.
    static let forcePINChange = putData(pinChangeFlagNumber, [0x02, 0x00, 0x00, 0x00])
    private static let pinChangeFlagNumber: UInt8 = 0x62

    /// Serial number and versions.
    static let versions = CardCommand(0x80, 0x71, 0x00, 0x00, ne: 256)
    /// The firmware's checksum.
    static let firmwareChecksum = CardCommand(0x80, 0x7E, 0x00, 0x00, ne: 4)
    /// GET CHALLENGE.
    static func challenge(_ count: Int) -> CardCommand { CardCommand(0x00, 0x84, 0x00, 0x00, ne: count) }
    /// Asks for the size of the drive in megabytes.
    static let driveSize = CardCommand(0x80, 0x53, 0x12, 0x00, ne: 4)
    /// Asks for the volumes of the drive.
    static let driveVolumes = CardCommand(0x80, 0x53, 0x11, 0x00, ne: 256)
}

/// Files.
extension CardCommand {
    /// SELECT by a path, with up to `ne` bytes of the file's template. An empty path is the MF.
    static func select(_ path: FilePath, ne: Int? = nil) -> CardCommand {
        let isMF = path.identifiers.isEmpty
        return CardCommand(
            0x00, 0xA4, isMF ? 0x00 : 0x08, ne == nil ? 0x00 : 0x04, bytes: isMF ? [0x3F, 0x00] : path.bytes, ne: ne)
    }

    /// SELECT of the first file in the current directory, or of the one after another, with its template.
    static func selectChild(after identifier: UInt16?) -> CardCommand {
        CardCommand(0x00, 0xA4, 0x00, identifier == nil ? 0x00 : 0x02, bytes: identifier?.bytes ?? [], ne: 256)
    }

    /// READ BINARY of the selected file.
    static func read(at offset: Int, count: Int) -> CardCommand {
        CardCommand(0x00, 0xB0, offset.high, offset.low, ne: count)
    }

    /// UPDATE BINARY of the selected file.
    static func update(at offset: Int, _ bytes: [UInt8]) -> CardCommand {
        CardCommand(0x00, 0xD6, offset.high, offset.low, bytes: bytes)
    }

    /// DELETE of a file in the current directory.
    static func delete(_ identifier: UInt16) -> CardCommand {
        CardCommand(0x00, 0xE4, 0x00, 0x00, bytes: identifier.bytes)
    }

    /// CREATE FILE in the current directory; an EF becomes the current file.
    ///
    /// - Parameter properties: Tag 85: six bytes, for PIN and key files.
    static func create(
        _ identifier: UInt16, _ kind: FileKind, size: Int, properties: [UInt8] = [0x00, 0x00], access: AccessConditions
    ) -> CardCommand {
        let values: [UInt8: [UInt8]] = [
            0x80: [size.high, size.low], 0x82: [kind.type, 0x00], 0x83: identifier.bytes, 0x85: properties,
            0x86: access.bytes,
        ]
        var body: [UInt8] = []
        for tag in kind.tags { body.appendObject(tag, values[tag] ?? []) }
        return CardCommand(0x00, 0xE0, 0x00, 0x00, bytes: .object(0x62, body))
    }
}

/// Keys.
extension CardCommand {
    /// The operations that MANAGE SECURITY ENVIRONMENT prepares.
    enum KeyUse: UInt8 {
        case agreement = 0xA6
        case signature = 0xB6
        case decipherment = 0xB8
    }

    /// MANAGE SECURITY ENVIRONMENT: the key that the next command computes with.
    ///
    /// - Parameter hash: The number of the hash function that an agreed point goes through.
    static func setKey(_ number: UInt8, for use: KeyUse, hash: UInt8? = nil) -> CardCommand {
        let function: [UInt8] = hash.map { [0x80, 0x01, $0] } ?? []
        return CardCommand(0x00, 0x22, 0x41, use.rawValue, bytes: function + [0x84, 0x01, number])
    }

    /// GENERATE KEY PAIR in key files that are there.
    ///
    /// - Parameter parameters: The command data for a pair of RSA.
    static func generateKeyPair(_ number: UInt8, parameters: [UInt8] = [], ne: Int) -> CardCommand {
        CardCommand(0x00, 0x46, 0x80, number, bytes: parameters, ne: ne)
    }

    /// PSO COMPUTE DIGITAL SIGNATURE of a digest.
    static func computeSignature(_ digest: [UInt8], ne: Int) -> CardCommand {
        CardCommand(0x00, 0x2A, 0x9E, 0x9A, bytes: digest, ne: ne)
    }

    /// GENERAL AUTHENTICATE with the other side's public key: key agreement.
    static func agree(_ request: [UInt8], ne: Int) -> CardCommand {
        CardCommand(0x00, 0x86, 0x00, 0x00, bytes: .object(0x7C, request), ne: ne)
    }
}

/// Rights and formatting.
extension CardCommand {
    /// RESET RIGHTS of one PIN; 0 for all PINs.
    static func resetRight(of number: UInt8) -> CardCommand { CardCommand(0x80, 0x40, 0x00, number) }
    /// RESET RETRY COUNTER of a PIN.
    static func resetRetryCounter(of role: ConnectedToken.Role) -> CardCommand {
        CardCommand(0x00, 0x2C, 0x03, role.rawValue)
    }
    /// CHANGE REFERENCE DATA of a PIN, to its default.
    static func changeToDefault(_ role: ConnectedToken.Role) -> CardCommand {
        CardCommand(0x00, 0x24, 0x01, role.rawValue, bytes: [0x80, 0x02, 0x00, 0x00, 0xA5, 0x00])
    }
    /// ERASE.
    static func erase(toFactoryState: Bool) -> CardCommand {
        CardCommand(0x80, 0x7A, toFactoryState ? 0x02 : 0x00, 0x00)
    }
    /// The end of the phase after ERASE in which nothing is protected.
    static let endInitialisation = CardCommand(0x80, 0x84, 0x4E, 0x19)
}

/// Commands that carry a secret.
extension Command {
    /// VERIFY.
    ///
    /// - Parameter reference: 01 the SO's, 02 User's, 80 + N local PIN N.
    static func verify(_ reference: UInt8, _ pin: consuming Secret) -> Command {
        Command(0x00, 0x20, 0x00, reference, data: pin)
    }

    /// CHANGE REFERENCE DATA.
    ///
    /// - Parameter reference: The number of a global PIN; 0 for the selected file.
    static func changeReferenceData(_ reference: UInt8, _ data: consuming Secret) -> Command {
        Command(0x00, 0x24, 0x01, reference, data: data)
    }

    /// UPDATE BINARY of the selected file.
    static func update(at offset: Int, _ data: consuming Secret) -> Command {
        Command(0x00, 0xD6, offset.high, offset.low, data: data)
    }

    /// PUT DATA of the default of User's PIN.
    static func putDefaultPIN(_ data: consuming Secret) -> Command { Command(0x00, 0xDA, 0x01, 0x61, data: data) }
}

extension Command {
    /// Whether the command is idempotent (GSC/1, 15.2 b): it reads, or sets the environment of the next command.
    var isIdempotent: Bool {
        switch (cla, ins) {
        // SELECT, READ BINARY, GET DATA, GET CHALLENGE and MANAGE SECURITY ENVIRONMENT.
        case (0x00, 0xA4), (0x00, 0xB0), (0x00, 0xCA), (0x00, 0x84), (0x00, 0x22): true
        // The drive, the versions, and GET DATA of the channel's.
        case (0x80, 0x53), (0x80, 0x71), (0x80, 0xCA): true
        // VERIFY without data asks for the tries left, 80 7E 00 00 for the firmware's checksum.
        case (0x00, 0x20): data.isEmpty
        case (0x80, 0x7E): p1 == 0
        default: false
        }
    }

    /// Whether the command is MANAGE SECURITY ENVIRONMENT.
    var setsKey: Bool { cla == 0x00 && ins == 0x22 }
}

extension Int {
    /// The two bytes of an offset or a length of a file; cards have no longer ones.
    fileprivate var high: UInt8 { UInt8(truncatingIfNeeded: self >> 8) }
    fileprivate var low: UInt8 { UInt8(truncatingIfNeeded: self) }
}
