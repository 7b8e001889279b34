// SPDX-License-Identifier: Apache-2.0
import APDU
import Foundation
import GOST
import Secrets
import SecureChannel
import Storage
import TestSupport

/// A pairing store of one kind in a folder of its own, with the host key of the classic vectors.
final class StorePlace {
    enum Kind: CaseIterable, Sendable { case own, group, synchronised }

    let kind: Kind
    let folder = "/tmp/kanal-place-\(UUID().uuidString)"
    private let vectors: JSON
    let capabilities: Capabilities

    /// The group's own directory.
    var own: String { folder + "/own" }
    /// The directory that is replicated.
    var shared: String { folder + "/shared" }

    /// A Unix group without members.
    static let group: gid_t = geteuid() == 0 ? 54_321 : getegid()

    /// - Parameter key: Whether there is a host key.
    init(_ kind: Kind, key: Bool = true) throws {
        self.kind = kind
        let file = try JSON(vectors: "gsc1.json")
        vectors = file.sets.A.profiles.classic
        capabilities = try Capabilities(parsing: file.sets.A.E1.bytes)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // Open to all regardless of the process's umask, which other tests change at the same time.
        guard unsafe chmod(folder, 0o755) == 0 else { throw CocoaError(.fileWriteUnknown) }
        if kind == .group { try StorePlace.makeGroupDirectory(own) }
        let directory = try Directory(path: own, create: true, access: kind == .group ? .group : .owner)
        if key { try directory.write("host.01", vectors.h.bytes.span) }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Makes a group's directory as the administrator does.
    static func makeGroupDirectory(_ path: String, mode: mode_t = 0o2770) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard unsafe chown(path, geteuid(), group) == 0, unsafe chmod(path, mode) == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    var location: PairingStore.Location {
        switch kind {
        case .own: .directory(own)
        case .group: .group(own)
        case .synchronised: .synchronised(shared, local: own)
        }
    }

    func open(create: Bool = true) throws -> PairingStore {
        guard let store = try PairingStore.open(location, create: create, random: SystemRandom()) else {
            throw StorageError.notFound
        }
        return store
    }

    /// A pairing of the host with a token.
    func record(token: UInt8 = 0, created: Int64 = 1_000_000, index: UInt8 = 1) throws -> PairingRecord {
        var bytes = capabilities.bytes
        // E1 ‖ 80 05 "GSC/1" ‖ 81 08 SER: the last byte of the serial number.
        let end = 2 + 7 + 2 + 7
        bytes[end] ^= token
        return try PairingRecord(
            profile: .classic, capabilities: Capabilities(parsing: bytes), tokenKey: vectors.T_pub.bytes,
            hostID: vectors.ID_H.bytes, index: index, created: created)
    }

    /// The record with another E1, as a token has it after an update.
    func updated(_ record: PairingRecord) throws -> PairingRecord {
        var bytes = record.capabilities.bytes
        // The last byte of E1 is features, or N: both can have bit 0 or 1 changed.
        bytes[bytes.count - 1] ^= 2
        return try PairingRecord(
            profile: record.profile, capabilities: Capabilities(parsing: bytes), tokenKey: record.tokenKey,
            hostID: record.hostID, index: record.index, created: record.created)
    }

    /// The name of every file of the store, with its content.
    var files: [String: Data] {
        var files: [String: Data] = [:]
        for case let name as String in FileManager.default.enumerator(atPath: folder) ?? .init() {
            files[name] = FileManager.default.contents(atPath: folder + "/" + name)
        }
        return files
    }

    /// The one file that holds the record, or one with such a beginning.
    func recordFile() throws -> String {
        let folder = kind == .synchronised ? shared : own + "/tokens"
        guard
            let name = try FileManager.default.contentsOfDirectory(atPath: folder).first(where: { !$0.hasPrefix(".") })
        else { throw StorageError.notFound }
        return folder + "/" + name
    }
}
