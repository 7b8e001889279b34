// SPDX-License-Identifier: Apache-2.0

import APDU
import Secrets
import Storage

/// The tokens that one user has worked with, in a directory of the user's own: `<serial>.<PID>`. Of a group's store it
/// has T_pub, of a synchronised one the identities of the token's entries. Other users who can change the records of a
/// shared store cannot change these, so that a replaced key of a token is noticed, and a record that is gone.
struct KnownTokens: Sendable {
    /// The directory, made when the first key is remembered.
    let path: String

    /// Whether the token is known, in any profile.
    func have(serial: [UInt8]) throws(ChannelError) -> Bool {
        try storing { () throws(StorageError) in
            try directory()?.names().contains { $0.hasPrefix(serial.hexadecimal + ".") } ?? false
        }
    }

    /// Whether the token is known in a profile, also by a damaged file.
    func have(serial: [UInt8], profile: Profile) throws(ChannelError) -> Bool {
        try storing { () throws(StorageError) in
            try directory()?.names().contains(name(serial, profile)) ?? false
        }
    }

    /// Whether the record has the token's known key; nil if none is known. A damaged file never matches.
    func confirm(_ record: PairingRecord) throws(ChannelError) -> Bool? {
        do throws(StorageError) {
            guard let known = try content(record.capabilities.serial, record.profile) else { return nil }
            return known == record.tokenKey
        } catch .tooLarge {
            return false
        } catch {
            throw .storage(error)
        }
    }

    /// Accepts the key of the record as the token's. Waits for no lock.
    func remember(_ record: PairingRecord) throws(ChannelError) {
        try keep(record.tokenKey, record.capabilities.serial, record.profile)
    }

    /// The known content of the token; nil if unknown.
    func content(_ serial: [UInt8], _ profile: Profile) throws(StorageError) -> [UInt8]? {
        try directory()?.read(name(serial, profile), limit: PairingStore.limit)
    }

    func keep(_ content: [UInt8], _ serial: [UInt8], _ profile: Profile) throws(ChannelError) {
        try storing { () throws(StorageError) in
            try Directory(path: path, create: true).write(name(serial, profile), content.span)
        }
    }

    func forget(serial: [UInt8], profile: Profile) throws(ChannelError) {
        try storing { () throws(StorageError) in try directory()?.remove(name(serial, profile)) }
    }

    private func directory() throws(StorageError) -> Directory? {
        do throws(StorageError) { return try Directory(path: path, create: false) } catch .notFound { return nil }
    }

    private func name(_ serial: [UInt8], _ profile: Profile) -> String {
        serial.hexadecimal + "." + profile.rawValue.hexadecimal(digits: 2)
    }
}
