// SPDX-License-Identifier: Apache-2.0

import Glibc
import GOST
import Storage

/// The files of a pairing group's records.
protocol PairingFiles: Sendable {
    /// Whether the records carry the labels of their tokens.
    var carriesLabels: Bool { get }

    /// Makes the directory that the first record needs. Called without the lock.
    func makeRoom() throws(StorageError)

    /// Makes the key that the first record needs. Called without the lock.
    func makeKey() throws(ChannelError)

    /// All sound records, the youngest first.
    func records() throws(ChannelError) -> [StoredRecord]

    /// The sound records of a token in a profile, the youngest first.
    func records(serial: [UInt8], profile: Profile) throws(ChannelError) -> [StoredRecord]

    /// Whether there is a record, sound or not, of the token in the profile.
    func hasRecord(serial: [UInt8], profile: Profile) throws(ChannelError) -> Bool

    /// Whether there is a record, sound or not, of the token in any profile.
    func hasRecord(serial: [UInt8]) throws(ChannelError) -> Bool

    /// The host key that a record was made with.
    func hostKey(for record: PairingRecord) throws(ChannelError) -> PrivateKey?

    /// Keeps a record; a label that is nil stays as it was.
    func save(_ record: PairingRecord, label: String?) throws(ChannelError)

    /// Remembers, on this machine alone, that there is a record of the token, where others can take it away.
    func remember(_ record: PairingRecord) throws(ChannelError)

    func remove(_ record: PairingRecord) throws(ChannelError)
    func remove(serial: [UInt8], profile: Profile) throws(ChannelError)
}
