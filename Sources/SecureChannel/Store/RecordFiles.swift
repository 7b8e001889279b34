// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets
import Storage

/// The records of one directory: `tokens/<serial>.<PID>`, serial and PID in hexadecimal. All are of the directory's own
/// host key.
struct RecordFiles: PairingFiles {
    let directory: Directory

    let carriesLabels = false

    /// The directory of the records; nil before it was made.
    private var tokens: Directory? {
        get throws(StorageError) { try directory.existingSubdirectory(RecordFiles.folder) }
    }

    private static let folder = "tokens"

    func makeRoom() throws(StorageError) { _ = try directory.subdirectory(RecordFiles.folder) }
    func makeKey() {}
    func remember(_ record: PairingRecord) {}

    func records() throws(ChannelError) -> [StoredRecord] {
        var records: [StoredRecord] = []
        for name in try names() {
            guard let record = try record(in: name), name == RecordFiles.name(record) else { continue }
            records.append(StoredRecord(record: record))
        }
        return records.sorted { $0.record.created > $1.record.created }
    }

    func records(serial: [UInt8], profile: Profile) throws(ChannelError) -> [StoredRecord] {
        let name = RecordFiles.name(serial, profile)
        guard let record = try record(in: name), name == RecordFiles.name(record) else { return [] }
        return [StoredRecord(record: record)]
    }

    func hasRecord(serial: [UInt8], profile: Profile) throws(ChannelError) -> Bool {
        try names().contains(RecordFiles.name(serial, profile))
    }

    func hasRecord(serial: [UInt8]) throws(ChannelError) -> Bool {
        try names().contains { $0.hasPrefix(serial.hexadecimal + ".") }
    }

    func hostKey(for record: PairingRecord) throws(ChannelError) -> PrivateKey? {
        try directory.hostKey(record.profile)
    }

    func save(_ record: PairingRecord, label: String?) throws(ChannelError) {
        try storing { () throws(StorageError) in
            guard let tokens = try tokens else { throw .notFound }
            try tokens.write(RecordFiles.name(record), record.encoded.span)
        }
    }

    func remove(_ record: PairingRecord) throws(ChannelError) {
        guard try self.record(in: RecordFiles.name(record))?.hostID == record.hostID else { return }
        try remove(serial: record.capabilities.serial, profile: record.profile)
    }

    func remove(serial: [UInt8], profile: Profile) throws(ChannelError) {
        try storing { () throws(StorageError) in try tokens?.remove(RecordFiles.name(serial, profile)) }
    }

    private func names() throws(ChannelError) -> [String] {
        try storing { () throws(StorageError) in try tokens?.names() ?? [] }
    }

    /// The record in a file; nil if it is missing or damaged.
    private func record(in name: String) throws(ChannelError) -> PairingRecord? {
        do throws(StorageError) {
            return try tokens?.read(name, limit: PairingStore.limit).flatMap(PairingRecord.init(parsing:))
        } catch .tooLarge {
            return nil
        } catch {
            throw .storage(error)
        }
    }

    private static func name(_ record: PairingRecord) -> String { name(record.capabilities.serial, record.profile) }

    private static func name(_ serial: [UInt8], _ profile: Profile) -> String {
        serial.hexadecimal + "." + profile.rawValue.hexadecimal(digits: 2)
    }
}
