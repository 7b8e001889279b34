// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Secrets

/// A private directory of small files, each of which is replaced as a whole or not at all.
///
/// ``Access`` defines the users who may reach the directory and its files. Anything else, a symbolic link included, is refused, and
/// never repaired. After a crash, a `kill -9` or a full disk every file holds either its old or its new content. The
/// caller judges the content.
///
/// A file name is any text without slash and NUL that does not begin with a dot; dotted names are the directory's own.
package struct Directory: Sendable {
    /// The path of the directory.
    package let path: String
    /// The users that may reach it.
    package let access: Access
    /// The milliseconds for which a call waits for a lock that another process holds.
    private let patience: Int

    /// Enough for a process that makes a key or a directory, on a slow disk too.
    package static let patience = 5000

    /// The lock file's name.
    private static let lockName = ".lock"
    /// The beginning of the names of files that are being written.
    private static let temporaryPrefix = ".new-"

    /// Finds the directory at `path`, and removes half-written files of killed processes.
    ///
    /// - Parameters:
    ///   - create: Whether to make the directory, and those above it, if it is missing. A directory of a group is never
    ///     made.
    ///   - patience: The milliseconds for which a call waits for a lock that another process holds.
    /// - Throws: ``StorageError/notFound`` if it is missing and not to be made.
    package init(
        path: String, create: Bool, access: Access = .owner, patience: Int = Self.patience
    ) throws(StorageError) {
        self.path = path
        self.access = access
        self.patience = patience
        if create && access != .group { try Directory.make(path) }
        Directory.removeLeftovers(in: try open())
    }

    /// Finds a directory that another program writes, and leaves it as it is: nothing in it is removed.
    ///
    /// - Throws: ``StorageError/notFound`` if it is missing.
    package init(reading path: String) throws(StorageError) {
        (self.path, access, patience) = (path, .owner, Self.patience)
        _ = try open()
    }

    /// The directory `name` in this one, for the same users; made if it is missing. In a directory of a group, the lock
    /// is taken to make it.
    package func subdirectory(_ name: String) throws(StorageError) -> Directory {
        let name = try Directory.valid(name)
        _ = try open()
        if access == .group { try makeShared(name) }
        return try Directory(path: path + "/" + name, create: true, access: access, patience: patience)
    }

    /// The directory `name` in this one, for the same users; nil if it does not exist.
    package func existingSubdirectory(_ name: String) throws(StorageError) -> Directory? {
        do throws(StorageError) {
            let path = try path + "/" + Directory.valid(name)
            _ = try open()
            return try Directory(path: path, create: false, access: access, patience: patience)
        } catch .notFound {
            return nil
        }
    }

    /// The names of all files and subdirectories, sorted.
    ///
    /// - Parameter limit: The number of names to read, hidden ones included.
    package func names(limit: Int = .max) throws(StorageError) -> [String] {
        try open().entries(limit: limit).filter { !$0.hasPrefix(".") }.sorted()
    }

    /// The content of a file, or nil if it does not exist.
    ///
    /// - Parameter limit: The greatest size to accept, in bytes.
    package func read(_ name: String, limit: Int) throws(StorageError) -> [UInt8]? {
        guard let content = try readSecret(name, limit: limit) else { return nil }
        return [UInt8](copying: content)
    }

    /// The bytes of a file, which is not read; nil if it does not exist.
    package func size(of name: String) throws(StorageError) -> Int? {
        let directory = try open()
        let name = try Directory.valid(name)
        do throws(StorageError) {
            let file = try Descriptor(opening: name, in: directory, O_RDONLY | O_NONBLOCK)
            return try file.requireFile(access, in: directory)
        } catch .notFound {
            return nil
        }
    }

    /// The content of a file that holds a secret, or nil if it does not exist.
    ///
    /// - Parameter limit: The greatest size to accept, in bytes.
    package func readSecret(_ name: String, limit: Int) throws(StorageError) -> Secret? {
        let directory = try open()
        let name = try Directory.valid(name)
        do throws(StorageError) {
            let file = try Descriptor(opening: name, in: directory, O_RDONLY | O_NONBLOCK)
            let size = try file.requireFile(access, in: directory)
            guard size <= limit else { throw .tooLarge }
            return try file.read(size)
        } catch .notFound {
            return nil
        }
    }

    /// Replaces the content of a file, or makes the file. On return the content is on the device.
    ///
    /// A temporary file in the same directory is written, synchronised and renamed, and the directory synchronised.
    package func write(_ name: String, _ bytes: Span<UInt8>) throws(StorageError) {
        let directory = try open()
        let name = try Directory.valid(name)
        var temporary = ""
        do throws(StorageError) {
            let file = try newFile(&temporary, in: directory)
            try file.write(bytes)
            try file.synchronise()
            try directory.rename(temporary, to: name)
        } catch {
            try? directory.remove(temporary)
            throw error
        }
        try directory.synchronise()
    }

    /// Removes a file. On return it is gone from the device. Succeeds if already deleted.
    package func remove(_ name: String) throws(StorageError) {
        let directory = try open()
        let name = try Directory.valid(name)
        do throws(StorageError) { try directory.remove(name) } catch .notFound { return }
        try directory.synchronise()
    }

    /// Calls `body` while no other process, and no other thread of this one, holds the directory's lock.
    ///
    /// The lock binds only processes that take it; it does not nest. It ends with the process that holds it.
    ///
    /// - Parameters:
    ///   - waiting: Whether to wait a while for the lock, or to throw ``StorageError/locked`` at once if another has it.
    ///   - failure: The caller's error if the lock cannot be taken.
    package func withLock<Value: ~Copyable, Failure: Error>(
        waiting: Bool = true, failure: (StorageError) -> Failure, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let lock = try Result { () throws(StorageError) in try takeLock(waiting: waiting) }.mapError(failure).get()
        defer { lock.unlock() }
        return try body()
    }

    /// Calls `body` while no other process, and no other thread of this one, holds the directory's lock.
    package func withLock<Value: ~Copyable>(
        waiting: Bool = true, _ body: () throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        try withLock(waiting: waiting, failure: { $0 }, body)
    }
}

extension Directory {
    /// The directory itself, opened and checked again, since it may have been replaced since the last time.
    private func open() throws(StorageError) -> Descriptor {
        do throws(StorageError) {
            let directory = try Descriptor(directory: path)
            try directory.requireDirectory(access)
            return directory
        } catch .denied(.permission) where access == .group && Descriptor.isOfOtherGroup(path) {
            throw .denied(.otherMembers)
        }
    }

    private func takeLock(waiting: Bool) throws(StorageError) -> Descriptor {
        let directory = try open()
        let file = try lockFile(in: directory)
        try file.requireFile(access, in: directory)
        try file.lock(patience: waiting ? patience : 0)
        return file
    }

    /// The lock file; made if it is missing, and never seen with another mode than it is to have.
    private func lockFile(in directory: borrowing Descriptor) throws(StorageError) -> Descriptor {
        do throws(StorageError) {
            return try Descriptor(opening: Directory.lockName, in: directory, O_RDWR | O_NONBLOCK)
        } catch .notFound {
            var temporary = ""
            let file = try newFile(&temporary, in: directory)
            defer { try? directory.remove(temporary) }
            try directory.link(temporary, as: Directory.lockName)
            file.unlock()
            return try Descriptor(opening: Directory.lockName, in: directory, O_RDWR | O_NONBLOCK)
        }
    }

    /// Makes the directory `name` for the group, if it is missing. It gets its name when it has its mode.
    private func makeShared(_ name: String) throws(StorageError) {
        if try open().has(name) { return }
        try withLock { () throws(StorageError) in
            let directory = try open()
            if try directory.has(name) { return }
            let temporary = Directory.temporaryPrefix + name
            try? directory.removeDirectory(temporary)
            try directory.makeDirectory(temporary)
            try Descriptor(opening: temporary, in: directory, O_RDONLY | O_DIRECTORY).setMode(0o2770)
            try directory.rename(temporary, to: name)
            try directory.synchronise()
        }
    }

    /// Makes the directory at `path` and those above it, closed to others.
    private static func make(_ path: String) throws(StorageError) {
        var parent = path.hasPrefix("/") ? "/" : "."
        var prefix = path.hasPrefix("/") ? "" : "."
        for component in path.split(separator: "/") {
            prefix += "/" + component
            if try Descriptor.makeDirectory(prefix) { try? Descriptor(directory: parent).synchronise() }
            parent = prefix
        }
    }

    private static func valid(_ name: String) throws(StorageError) -> String {
        guard !name.isEmpty, !name.hasPrefix("."), !name.utf8.contains(where: { $0 == 0x2F || $0 == 0 }) else {
            throw .invalidName
        }
        return name
    }

    /// Makes a temporary file. Its lock, held while it is open, shows that its writer is alive; if another process saw
    /// it before it was locked and clears it away, or keeps the lock, a new one is made.
    ///
    /// - Parameter name: Receives the name.
    private func newFile(
        _ name: inout String, in directory: borrowing Descriptor
    ) throws(StorageError) -> Descriptor {
        for _ in 0..<16 {
            name = try Directory.temporaryName()
            let file = try Descriptor(opening: name, in: directory, O_WRONLY | O_CREAT | O_EXCL)
            do throws(StorageError) { try file.lock(patience: 0) } catch {
                try? directory.remove(name)
                continue
            }
            guard try file.isLinked() else { continue }
            try file.setMode(access.fileMode)
            return file
        }
        throw .locked
    }

    /// A name that no file of any process has.
    private static func temporaryName() throws(StorageError) -> String {
        do {
            let number = try SystemRandom().bytes(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            return temporaryPrefix + number.hexadecimal()
        } catch {
            throw .system(errno: EIO)
        }
    }

    /// The number of names that are read to find leftovers.
    private static let leftoverLimit = 4096

    /// Removes temporary files whose writers are gone: their locks are free.
    private static func removeLeftovers(in directory: borrowing Descriptor) {
        let names = (try? directory.entries(limit: leftoverLimit)) ?? []
        for name in names where name.hasPrefix(temporaryPrefix) {
            guard let file = try? Descriptor(opening: name, in: directory, O_RDONLY | O_NONBLOCK) else { continue }
            if (try? file.lock(patience: 0)) != nil { try? directory.remove(name) }
        }
    }
}

extension Directory {
    /// The users that may reach a directory and its files.
    package enum Access: Sendable {
        /// The user who runs the process: the directory has mode 0700, its files 0600, and all are the user's.
        case owner
        /// The members of a Unix group, whatever the owners: the directory has mode 2770, so that new entries are of
        /// its group, and its files have 0660. The administrator makes it, and
        /// ``Directory/init(path:create:access:patience:)`` never does.
        case group
        /// The user who runs the process. Other programs put files there too, with modes of their own: these do not
        /// count, since the directory has mode 0700. The files' content must be protected by other means.
        case replicated

        /// The mode of new files.
        var fileMode: mode_t { self == .group ? 0o660 : 0o600 }

        func checkOwner(_ status: stat) throws(StorageError) {
            guard self == .group || status.st_uid == geteuid() else { throw .denied(.otherOwner) }
        }

        func checkMode(_ mode: mode_t) throws(StorageError) {
            guard mode & (self == .group ? 0o007 : 0o077) == 0 else { throw .denied(.accessibleToOthers) }
        }
    }
}
