// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets

/// A state of an entry of a synchronised store: a pairing, or the tombstone of one.
///
/// Its content is the host key, 32 bytes, then state (1 alive, 0 deleted), revision, label and record as data objects.
/// A tombstone has zeros for a host key and no record.
struct SealedEntry {
    let identity: [UInt8]
    /// The pairing; nil makes this a tombstone.
    var record: PairingRecord?
    /// The token's label.
    var label: String
    /// Counts the states of the entry.
    var revision: UInt32
    /// The name of the file with the state.
    let file: String
    /// Tells states of one revision apart, on every machine alike.
    private let salt: [UInt8]

    /// The bytes of a host key.
    static let keySize = 32

    /// A new entry.
    init(identity: [UInt8], record: PairingRecord?, label: String) {
        self.identity = identity
        self.record = record
        self.label = label
        revision = 1
        file = ""
        salt = []
    }

    /// Reads an opened file; nil if its content is malformed.
    init?(_ sealed: borrowing SealedFile, file: String) {
        guard sealed.content.count > SealedEntry.keySize else { return nil }
        let fields = [UInt8](copying: sealed.content.bytes.extracting(droppingFirst: SealedEntry.keySize))
        var cursor = ByteCursor(fields)
        guard let state = try? cursor.number(0x80, in: 0...1),
            var number = (try? cursor.object(0x81, length: 4)).map({ ByteCursor($0) }),
            let revision = try? number.uint32(), let label = try? cursor.object(0x82)
        else { return nil }
        if state == 1 {
            guard let octets = try? cursor.object(0x83), let record = PairingRecord(parsing: octets) else { return nil }
            self.record = record
        } else {
            record = nil
        }
        guard cursor.isAtEnd else { return nil }
        identity = sealed.identity
        salt = sealed.salt
        self.revision = revision
        self.label = String(decoding: label, as: UTF8.self)
        self.file = file
    }

    func content(_ hostKey: borrowing Secret) -> Secret {
        var number: [UInt8] = []
        number.appendUInt32(revision)
        var fields: [UInt8] = []
        fields.appendObject(0x80, [record == nil ? 0 : 1])
        fields.appendObject(0x81, number)
        fields.appendObject(0x82, Array(label.utf8))
        if let record { fields.appendObject(0x83, record.encoded) }
        return hostKey.appending(fields.span)
    }

    func isOf(_ serial: [UInt8], _ profile: Profile) -> Bool {
        record?.capabilities.serial == serial && record?.profile == profile
    }

    /// Whether this is the pairing of the record, perhaps with another E1.
    func isOf(_ other: PairingRecord) -> Bool {
        record?.created == other.created && record?.tokenKey == other.tokenKey && record?.index == other.index
    }

    /// Whether this state of an entry counts, and not the other one.
    func supersedes(_ other: SealedEntry) -> Bool {
        guard record != nil, other.record != nil else { return other.record != nil }
        guard revision == other.revision else { return revision > other.revision }
        return other.salt.lexicographicallyPrecedes(salt)
    }

    /// Whether this pairing was made after the other one.
    func isYounger(than other: SealedEntry) -> Bool {
        guard let own = record?.created, let its = other.record?.created, own != its else {
            return identity.lexicographicallyPrecedes(other.identity)
        }
        return own > its
    }
}
