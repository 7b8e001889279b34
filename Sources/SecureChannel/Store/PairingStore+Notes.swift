// SPDX-License-Identifier: Apache-2.0
import APDU
import Storage

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
        guard let octets = try? folder?.read(PairingNotes.name(record), limit: PairingStore.limit) else { return nil }
        var cursor = ByteCursor(octets)
        guard let time = try? cursor.time(0x80), let label = try? cursor.object(0x81), cursor.isAtEnd else {
            return nil
        }
        return Note(time: time, label: String(decoding: label, as: UTF8.self))
    }

    /// Makes the notes' directory where making it takes the lock.
    func makeRoom() throws(StorageError) {
        if directory.access == .group { _ = try directory.subdirectory(PairingNotes.name) }
    }

    /// Waits for no lock.
    func write(_ note: Note, of record: PairingRecord) {
        var octets: [UInt8] = []
        octets.appendTime(0x80, note.time)
        octets.appendObject(0x81, Array(note.label.utf8))
        let folder = directory.access == .group ? folder : try? directory.subdirectory(PairingNotes.name)
        try? folder?.write(PairingNotes.name(record), octets.span)
    }

    func remove(_ record: PairingRecord) { try? folder?.remove(PairingNotes.name(record)) }

    private var folder: Directory? { try? directory.existingSubdirectory(PairingNotes.name) }

    private static let name = "notes"

    private static func name(_ record: PairingRecord) -> String {
        [record.capabilities.serial, [record.profile.rawValue], record.hostID].map(hexadecimal).joined(separator: ".")
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
        var octets: [UInt8] = []
        octets.appendUInt32(UInt32(truncatingIfNeeded: time >> 32))
        octets.appendUInt32(UInt32(truncatingIfNeeded: time))
        appendObject(tag, octets)
    }
}
