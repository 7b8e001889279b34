// SPDX-License-Identifier: Apache-2.0

import APDU
import Secrets
import Storage

extension PairingStore {
    /// Whether the token's key in the record differs from the key that this user has worked with: another member of a
    /// group has activated the token again, or replaced it. The record is not used before the user activates the token,
    /// or accepts the key with ``accept(_:)``.
    package func isKeyChanged(_ record: PairingRecord) throws(ChannelError) -> Bool {
        try known?.confirm(record) == false
    }

    /// Accepts the key of the record as the token's from now on, whatever was known before.
    package func accept(_ record: PairingRecord) throws(ChannelError) {
        try known?.remember(record)
        try files.remember(record)
    }

    /// Remembers the token, and its key if none is known. A failure does not keep the channel from use.
    package func remember(_ record: PairingRecord) {
        try? files.remember(record)
        guard let known, (try? known.confirm(record)) == .some(.none) else { return }
        try? known.remember(record)
    }
}

/// Notes on pairings, which are not needed to use them: `notes/<serial>.<PID>.<ID_H>` in the group's directory. A note
/// that cannot be read or written is missing.
struct PairingNotes: Sendable {
    let directory: Directory

    struct Note: Equatable {
        /// When a channel was last opened, in seconds since 1970.
        var time: Int64
        /// The token's label.
        var label: String
    }

    func note(of record: PairingRecord) -> Note? {
        guard let bytes = try? folder?.read(PairingNotes.name(record), limit: PairingStore.limit) else { return nil }
        var cursor = ByteCursor(bytes)
        guard let time = try? cursor.time(0x80), time >= 0, let label = try? cursor.object(0x81), cursor.isAtEnd else {
            return nil
        }
        return Note(time: time, label: String(decoding: label, as: UTF8.self))
    }

    /// Makes the notes' directory where making it needs the lock.
    func makeRoom() throws(StorageError) {
        if directory.access == .group { _ = try directory.subdirectory(PairingNotes.name) }
    }

    /// Waits for no lock.
    func write(_ note: Note, of record: PairingRecord) {
        var bytes: [UInt8] = []
        bytes.appendTime(0x80, note.time)
        bytes.appendObject(0x81, Array(note.label.utf8))
        let folder = directory.access == .group ? folder : try? directory.subdirectory(PairingNotes.name)
        try? folder?.write(PairingNotes.name(record), bytes.span)
    }

    func remove(_ record: PairingRecord) { try? folder?.remove(PairingNotes.name(record)) }

    private var folder: Directory? { try? directory.existingSubdirectory(PairingNotes.name) }

    private static let name = "notes"

    private static func name(_ record: PairingRecord) -> String {
        [record.capabilities.serial, [record.profile.rawValue], record.hostID].map(\.hexadecimal).joined(separator: ".")
    }
}

extension ByteCursor {
    /// The next object, a time in seconds since 1970.
    mutating func time(_ tag: UInt8) throws(MalformedBytes) -> Int64 {
        var time = ByteCursor(try object(tag, length: 8))
        return try Int64(bitPattern: UInt64(time.uint32()) << 32 | UInt64(time.uint32()))
    }
}

extension [UInt8] {
    /// Appends an object that is a time in seconds since 1970.
    mutating func appendTime(_ tag: UInt8, _ time: Int64) {
        var bytes: [UInt8] = []
        bytes.appendUInt32(UInt32(truncatingIfNeeded: time >> 32))
        bytes.appendUInt32(UInt32(truncatingIfNeeded: time))
        appendObject(tag, bytes)
    }
}
