// SPDX-License-Identifier: Apache-2.0
import Glibc
import Locking
import Translation

/// A file that is written whole or not at all: it is written under another name beside its place, where its owner alone
/// can read it, and gets its mode and its name when it is finished. If it is not finished, it is removed.
///
/// Nothing is written to the target of another user's link, to another user's pipe or device, or to a file that was
/// read. A pipe or a device of one's own is written to directly.
package final class ResultFile: Sendable {
    /// The place of a file that gets its name at the end.
    private struct Place {
        let directory: OpenDirectory
        let name, temporary: [CChar]
        let writer: BackgroundWriter
    }

    /// Whether the place is a pipe or a device, which has the first bytes before the last are known.
    package var isWrittenDirectly: Bool { place == nil }

    private let path: String
    /// nil for a file that is written to directly.
    private let place: Place?
    private let isPrivate, replaces: Bool
    /// -1 when it is closed.
    private let descriptor: Lock<Int32>

    /// The mode of new files.
    private static let newMode: mode_t = {
        let mask = umask(0o077)
        umask(mask)
        return 0o666 & ~mask
    }()

    /// - Parameters:
    ///   - isPrivate: Whether only its owner may read the file, regardless of the mode of the former one.
    ///   - replaces: Whether the file may take the place of another one.
    ///   - replacesInput: Whether that may be a file that was read, all of which is in this one.
    package init(
        _ path: String, isPrivate: Bool = false, replaces: Bool = true, replacesInput: Bool = false
    ) throws {
        (self.path, self.isPrivate, self.replaces) = (path, isPrivate, replaces)
        switch try ResultPlace(path) {
        case .descriptor(let number):
            (place, descriptor) = (nil, Lock(number))
        case .name(let name, in: let directory, let status?) where status.st_mode & S_IFMT != S_IFREG:
            (place, descriptor) = (nil, Lock(try Self.open(name, in: directory, status, path)))
        case .name(let name, in: let directory, let status):
            try Self.check(status, path, replaces, replacesInput: replacesInput, [])
            let temporary = Self.temporary(name)
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let number = unsafe openat(directory.number, temporary, flags, 0o600)
            guard number >= 0 else { throw SystemError(errno, path) }
            place = Place(
                directory: directory, name: name, temporary: temporary, writer: BackgroundWriter(descriptor: number))
            descriptor = Lock(number)
        }
    }

    deinit { discard() }

    /// Finds out whether a result can go to a place, before the work for it is done. Nothing is written or opened.
    ///
    /// - Parameters:
    ///   - replaces: Whether the file may take the place of another one.
    ///   - inputs: Files that will be read.
    /// - Throws: ``ResultRefusal`` or ``SystemError``.
    package static func check(_ path: String, replaces: Bool, inputs: [String] = []) throws {
        guard case .name(_, in: let directory, let status) = try place(of: path) else { return }
        if let status, status.st_mode & S_IFMT != S_IFREG { return try requireOwn(status, path) }
        try check(status, path, replaces, inputs.compactMap(FileIdentity.init(of:)))
        guard unsafe faccessat(directory.number, ".", W_OK | X_OK, AT_EACCESS) == 0 else {
            throw SystemError(errno, path)
        }
    }

    private static func place(of path: String) throws -> ResultPlace {
        do { return try ResultPlace(path) } catch let error as SystemError where !path.isEmpty {
            switch error.code {
            case EISDIR: throw ResultRefusal.folder(path)
            case ENOENT: throw ResultRefusal.folderMissing(path)
            default: throw error
            }
        }
    }

    /// Refuses to take the place of a file that is read, or that is not to be replaced.
    private static func check(
        _ status: stat?, _ path: String, _ replaces: Bool, replacesInput: Bool = false, _ inputs: [FileIdentity]
    ) throws {
        guard let status else { return }
        let identity = FileIdentity(status)
        guard replacesInput || !InputFile.hasOpened(identity) && !inputs.contains(identity) else {
            throw ResultRefusal.input(path)
        }
        guard replaces else { throw ResultRefusal.exists(path) }
    }

    /// Refuses a pipe or a device of another user.
    private static func requireOwn(_ status: stat, _ path: String) throws {
        guard status.st_uid == geteuid() || status.st_uid == 0 || isStandard(status) else {
            throw ResultRefusal.device(path)
        }
    }

    /// A name that cannot be foreseen, and is not longer than names may be.
    private static func temporary(_ name: [CChar]) -> [CChar] {
        let mark = String(UInt64.random(in: .min ... .max), radix: 36)
        return name.dropLast().prefix(200) + Array(".\(mark).part".utf8CString)
    }

    /// Opens a pipe or a device, as soon as a pipe has its other end.
    private static func open(
        _ name: [CChar], in directory: OpenDirectory, _ status: stat, _ path: String
    ) throws -> Int32 {
        try requireOwn(status, path)
        let flags = O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC
        while true {
            let number = unsafe openat(directory.number, name, flags)
            if number >= 0 {
                var opened = stat()
                guard unsafe fstat(number, &opened) == 0, FileIdentity(opened) == FileIdentity(status) else {
                    close(number)
                    throw ResultRefusal.exchanged(path)
                }
                return number
            }
            guard errno == ENXIO, status.st_mode & S_IFMT == S_IFIFO else { throw SystemError(errno, path) }
            try Interruption.wait(for: -1, POLLIN, patience: 50, Phrase(verbatim: path.printable))
        }
    }

    /// Whether it is the terminal in which this process works, whichever process has opened it.
    private static func isStandard(_ status: stat) -> Bool {
        (0...2 as ClosedRange<Int32>).contains { number in
            var standard = stat()
            return unsafe fstat(number, &standard) == 0 && FileIdentity(standard) == FileIdentity(status)
        }
    }

    /// Accepts the next bytes. They may be written later, in a thread of its own.
    ///
    /// - Throws: ``SystemError`` if these or earlier ones cannot be written.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try named { () throws(SystemError) in
            guard let place else { return try OutputStream(descriptor: descriptor.withLock { $0 }).write(bytes) }
            try place.writer.write(bytes)
        }
    }

    /// Runs `body`, whose errors get the file's name.
    private func named(_ body: () throws(SystemError) -> Void) throws(SystemError) {
        do throws(SystemError) { try body() } catch { throw SystemError(error.code, path) }
    }

    /// Puts the file in its place.
    package func finish() throws {
        let descriptor = descriptor.withLock { $0 }
        guard descriptor >= 0 else { return }
        defer { discard() }
        guard let place else { return }
        try named { () throws(SystemError) in try place.writer.finish() }
        let directory = place.directory.number
        var (own, other) = (stat(), stat())
        guard unsafe fstat(descriptor, &own) == 0 else { throw SystemError(errno, path) }
        let isThere = unsafe fstatat(directory, place.name, &other, AT_SYMLINK_NOFOLLOW) == 0
        guard replaces || !isThere else { throw ResultRefusal.exists(path) }
        let mode = mode(instead: isThere ? other : nil, own, descriptor)
        guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0 else { throw SystemError(errno, path) }
        // A second name fails where another program has made the file meanwhile. Some file systems have none.
        let isLinked = replaces ? false : unsafe linkat(directory, place.temporary, directory, place.name, 0) == 0
        if !isLinked {
            guard replaces || errno != EEXIST else { throw ResultRefusal.exists(path) }
            guard unsafe renameat(directory, place.temporary, directory, place.name) == 0 else {
                throw SystemError(errno, path)
            }
        }
        guard unsafe fstatat(directory, place.name, &other, AT_SYMLINK_NOFOLLOW) == 0,
            FileIdentity(other) == FileIdentity(own)
        else { throw ResultRefusal.exchanged(path) }
    }

    /// The readers of this user's former file keep access.
    private func mode(instead other: stat?, _ own: stat, _ descriptor: Int32) -> mode_t {
        guard !isPrivate else { return 0o600 }
        guard let other, other.st_mode & S_IFMT == S_IFREG, other.st_uid == own.st_uid else { return Self.newMode }
        let hasGroup = other.st_gid == own.st_gid || fchown(descriptor, .max, other.st_gid) == 0
        return other.st_mode & (hasGroup ? 0o777 : 0o707)
    }

    /// Ends without the file.
    package func discard() {
        let descriptor = descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
        guard descriptor >= 0 else { return }
        place?.writer.discard()
        close(descriptor)
        // Nothing has this name once the file has its own.
        if let place { unsafe unlinkat(place.directory.number, place.temporary, 0) }
    }
}
