// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import ContainerFolders
import Containers
import Cryptoki
import EmulatedTokens
import Foundation
import GOST
import Locking
import Logging
import Secrets
import SecureChannel
import Storage
import TestSupport
import Testing
import Token

/// Containers of the vectors in folders that are the user's alone, and an application that has them as slots.
final class ContainerFolderScene {
    let root = "/tmp/kanal-folders-\(UUID().uuidString)"
    let application: Application
    /// The folders that were not used, and why.
    let refusals = Lock<[String: StorageError]>([:])

    /// - Parameters:
    ///   - vectors: A folder for each, in the one that is named.
    ///   - others: The readers besides.
    init(_ vectors: [String], besides others: (any ReaderService)? = nil) throws {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        try Self.setMode(0o700, root)
        let settings = TokenSettings(
            pairings: .nowhere, hostLabel: "test", random: SystemRandom(),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let refusals = refusals
        application = Application(
            FolderReaders([root + "/"], besides: others) { folder, error in refusals.withLock { $0[folder] = error } },
            store: Folder(), settings: settings)
        for vector in vectors { try store(ContainerScene.files(vector), in: vector) }
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    /// Writes the files of a container.
    func store(_ files: [UInt8: [UInt8]], in folder: String) throws {
        let path = "\(root)/\(folder)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Self.setMode(0o700, path)
        for (number, content) in files { try write(content, to: #require(ContainerFile(rawValue: number)), in: folder) }
    }

    func write(_ content: [UInt8], to file: ContainerFile, in folder: String) throws {
        let path = "\(root)/\(folder)/\(file.fileName)"
        try Data(content).write(to: URL(fileURLWithPath: path))
        try Self.setMode(0o600, path)
    }

    static func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    func slots() throws -> [CK_SLOT_ID] { try application.library.slots(tokenPresent: true, isQuery: false) }

    func open(_ slot: CK_SLOT_ID = 0) throws -> CK_SESSION_HANDLE {
        try application.library.openSession(with: slot, flags: CKF_SERIAL_SESSION)
    }

    func find(
        _ objectClass: CK_OBJECT_CLASS, id: [UInt8]? = nil, in session: CK_SESSION_HANDLE
    ) throws -> [CK_OBJECT_HANDLE] {
        try application.find(session, [(CKA_CLASS, objectClass.bytes)] + (id.map { [(CKA_ID, $0)] } ?? []))
    }

    func sign(
        _ key: CK_OBJECT_HANDLE, _ digest: [UInt8] = ContainerScene.digest, in session: CK_SESSION_HANDLE
    ) throws -> [UInt8] {
        let mechanism = Mechanism(type: digest.count == 64 ? CKM_GOSTR3410_512 : CKM_GOSTR3410, parameter: [])
        return try application.library.withSession(session) { session throws(CKError) in
            try session.signInit(mechanism, key: key)
            return try session.sign(digest.span)
        }
    }
}
