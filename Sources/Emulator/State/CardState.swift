// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
package import Secrets
package import TokenEnd

/// The state of the card that survives the loss of power. It has a property for each thing that is stored.
package struct CardState: Sendable {
    /// The name of the identity that the state belongs to.
    package let identity: String
    /// Eight bytes, big-endian.
    package let serial: [UInt8]
    /// Whether the token is being formatted: after an erase and until the end of initialisation.
    package var isInitialising = false
    package var fileSystem = FileSystem()
    /// Changes with every change, so that a host sees whether its knowledge is still true.
    package var changeCounter: UInt32 = 0
    /// The GOST signatures that the token ever made.
    package var signatureCounter: UInt32 = 0
    /// The record of the last GOST signature.
    package var journal: [UInt8]?
    /// Four licences of 72 bytes; empty if never written.
    package var licences = [[UInt8]](repeating: [], count: 4)
    /// Four bytes of flags; the first is 02 if the user must change the PIN.
    package var forcedChange: [UInt8] = [0, 0, 0, 0]
    /// The user PIN after a reset, if it is not the standard one.
    package var defaultUserPIN: SharedSecret?
    /// Random bytes of the last format.
    package var formatNonce: [UInt8] = []
    /// The lasting state of the token's end of the secure channel, if it has one.
    package var channel: ChannelState?

    package init(identity: String, serial: [UInt8]) {
        self.identity = identity
        self.serial = serial
    }
}

/// The form in memory: magic, version, the fields in fixed order, and Streebog-256 over all of it. Numbers are
/// big-endian; variable fields follow their length in four bytes.
extension CardState {
    private static let magic = [UInt8]("KNLE".utf8)
    /// Version 1 knew the classic profile only, version 2 GOST and secret keys only. Both are still read.
    private static let version = 3

    package func encoded() -> Secret {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4096 + fileSystem.files.reduce(0) { $0 + $1.memory + 64 })
        bytes += CardState.magic
        bytes.appendUInt16(CardState.version)
        bytes.appendField([UInt8](identity.utf8))
        bytes += serial
        bytes.append(isInitialising ? 1 : 0)
        bytes.appendUInt32(changeCounter)
        bytes.appendUInt32(signatureCounter)
        bytes.appendField(journal ?? [])
        for licence in licences { bytes.appendField(licence) }
        bytes += forcedChange
        bytes.appendSecret(defaultUserPIN)
        bytes.appendField(formatNonce)
        for files in [fileSystem.globalPINs, fileSystem.files] {
            bytes.appendUInt16(files.count)
            for file in files { bytes.append(file) }
        }
        bytes.append(channel == nil ? 0 : 1)
        channel?.append(to: &bytes)
        bytes += Streebog256.hash(bytes)
        defer { bytes.wipe() }
        return Secret(copying: bytes)
    }

    /// Reads a state; throws if any byte of it is not what ``encoded()`` wrote.
    package init(decoding secret: borrowing Secret) throws(EmulatorError) {
        var bytes = [UInt8](copying: secret)
        defer { bytes.wipe() }
        guard bytes.starts(with: CardState.magic), bytes.count > 38 else { throw .stateCorrupt }
        let version = Int(bytes[4]) << 8 | Int(bytes[5])
        guard (1...CardState.version).contains(version) else { throw .stateVersion(version) }
        guard Streebog256.hash(Array(bytes.dropLast(32))) == Array(bytes.suffix(32)) else { throw .stateCorrupt }
        do {
            var cursor = ByteCursor(bytes.dropFirst(6).dropLast(32))
            try self.init(from: &cursor, version)
            try cursor.finish()
        } catch {
            throw .stateCorrupt
        }
    }

    private init(from cursor: inout ByteCursor, _ version: Int) throws(MalformedBytes) {
        let identity = String(decoding: try cursor.field(), as: UTF8.self)
        try self.init(identity: identity, serial: cursor.bytes(8))
        isInitialising = try cursor.byte() != 0
        changeCounter = try cursor.uint32()
        signatureCounter = try cursor.uint32()
        let journal = try cursor.field()
        self.journal = journal.isEmpty ? nil : journal
        for index in licences.indices { licences[index] = try cursor.field() }
        forcedChange = try cursor.bytes(4)
        defaultUserPIN = try cursor.secret()
        formatNonce = try cursor.field()
        let globalPINs = try cursor.files()
        fileSystem = try FileSystem(files: cursor.files(), globalPINs: globalPINs)
        if try cursor.byte() != 0 { channel = try ChannelState(from: &cursor, version) }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ file: File) {
        append(UInt8(truncatingIfNeeded: file.path.identifiers.count))
        for identifier in file.path.identifiers { appendUInt16(Int(identifier)) }
        appendUInt16(file.size)
        append(contentsOf: file.conditions.bytes)
        switch file.content {
        case .directory:
            append(0)
        case .elementary(let content):
            append(1)
            appendField(content)
        case .rights(let rights):
            append(2)
            append(contentsOf: rights.properties)
            appendSecret(rights.value)
        }
    }
}

extension ByteCursor {
    fileprivate mutating func files() throws(MalformedBytes) -> [File] {
        var files: [File] = []
        for _ in 0..<(try uint16()) { files.append(try file()) }
        return files
    }

    private mutating func file() throws(MalformedBytes) -> File {
        var identifiers: [UInt16] = []
        for _ in 0..<(try byte()) { identifiers.append(UInt16(try uint16())) }
        let size = try uint16()
        guard let conditions = AccessConditions(try bytes(15)) else { throw MalformedBytes() }
        let content: File.Content
        switch try byte() {
        case 0: content = .directory
        case 1: content = .elementary(try field())
        default:
            guard let rights = RightsFile(properties: try bytes(6), value: try secret()) else {
                throw MalformedBytes()
            }
            content = .rights(rights)
        }
        return File(path: FilePath(identifiers), size: size, conditions: conditions, content: content)
    }
}

extension CardState {
    /// A token as it leaves the factory: formatted, with the standard PINs.
    ///
    /// - Parameter label: At most 255 bytes; nil for a token without a label file.
    package static func factory(
        identity: String, serial: [UInt8], label: [UInt8]?, nonce: [UInt8]
    ) -> CardState {
        var state = CardState(identity: identity, serial: serial)
        state.formatNonce = nonce
        for (path, conditions) in formattedTree {
            state.fileSystem.append(File(path: path, conditions: conditions))
        }
        if let label { state.fileSystem.append(labelFile(label)) }
        let conditions = [AccessConditions.administratorPIN, .userPIN]
        for (number, (conditions, value)) in zip(UInt8(1)..., zip(conditions, Card.standardPINs)) {
            let properties: [UInt8] = [RightsFileType.globalPIN.rawValue, 6, RightsFileFlags.text, 0xAA, 0, 0]
            guard let pin = RightsFile(properties: properties, value: SharedSecret(copying: value)) else { continue }
            state.fileSystem.append(
                File(
                    path: RightsFileType.globalPIN.path(number), size: value.count, conditions: conditions,
                    content: .rights(pin)))
        }
        return state
    }

    /// The directories of a formatted token, in the order of their creation.
    private static var formattedTree: [(FilePath, AccessConditions)] {
        let system: [FilePath] =
            [[], [0x6000], [0x1000], .system] + (0x6001...0x6008).map { FilePath.system.appending($0) } + [
                [0x1000, 0x1001], [0x1000, 0x1001, 0x8001], [0x1000, 0x1001, 0x8001, 0x8001],
                [0x1000, 0x1001, 0x8002], [0x1000, 0x1001, 0x1001], [0x1000, 0x1002], [0x1000, 0x1003],
                [0x1000, 0x1004],
            ]
        let minidriver: [FilePath] = [[0x1000, 0x1002, 0xFFF0], [0x1000, 0x1002, 0xFFF0, 0x0013]]
        return system.map { ($0, $0 == .root ? .root : .systemDirectory) } + minidriver.map { ($0, .minidriver) }
    }

    /// "TN", the version, the length in two bytes (little-endian), and the label.
    private static func labelFile(_ label: [UInt8]) -> File {
        let length = UInt8(truncatingIfNeeded: label.count)
        let content: [UInt8] = [0x54, 0x4E, 0x03, 0, 0, 0, length, 0] + label
        return File(path: .label, size: content.count, conditions: .publicFile, content: .elementary(content))
    }

    /// The label that the token's label file holds; empty if missing.
    var label: [UInt8] {
        guard case .elementary(let content) = fileSystem[.label]?.content, content.starts(with: [0x54, 0x4E]),
            content.count >= 8
        else { return [] }
        return Array(content.dropFirst(8).prefix(Int(content[6]) | Int(content[7]) << 8))
    }
}
