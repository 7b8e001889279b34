// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostProcess
import Secrets

/// An open file or directory, closed when its owner lets it go. All system calls of this module that need one are here.
struct Descriptor: ~Copyable {
    private let number: Int32

    deinit { close(number) }

    /// Opens a path without following a link in its last component and without passing the descriptor to other
    /// programs. `directory` is where relative paths start; nil is the current directory.
    init(
        opening path: String, in directory: borrowing Descriptor, _ flags: Int32, mode: mode_t = 0o600
    ) throws(StorageError) {
        let parent = directory.number
        try self.init { unsafe openat(parent, path, flags | O_NOFOLLOW | O_CLOEXEC, mode) }
    }

    /// Opens a directory without following a link in its last component.
    init(directory path: String) throws(StorageError) {
        try self.init { unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
    }

    /// Opens a file for reading, following links.
    init(following path: String) throws(StorageError) {
        try self.init { unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
    }

    /// Makes a directory closed to others.
    ///
    /// - Returns: Whether it was missing.
    static func makeDirectory(_ path: String) throws(StorageError) -> Bool {
        if unsafe mkdir(path, 0o700) == 0 { return true }
        guard errno == EEXIST else { throw StorageError(errno: errno) }
        return false
    }

    private init(_ open: () -> Int32) throws(StorageError) {
        let number = StandardDescriptors.avoid(otherwise: -1, open)
        guard number >= 0 else { throw StorageError(errno: errno) }
        self.number = number
    }

    /// Throws unless this is a directory that only the users of `access` can reach.
    borrowing func requireDirectory(_ access: Directory.Access) throws(StorageError) {
        let status = try status()
        guard status.st_mode & S_IFMT == S_IFDIR else { throw .denied(.otherKind) }
        try access.checkOwner(status)
        try access.checkMode(status.st_mode)
        guard access != .group || status.st_mode & S_ISGID != 0 else { throw .denied(.withoutGroup) }
    }

    /// Throws unless this is a file, in `directory`, that only the users of `access` can reach.
    ///
    /// - Returns: Its size in bytes.
    @discardableResult
    borrowing func requireFile(
        _ access: Directory.Access, in directory: borrowing Descriptor
    ) throws(StorageError) -> Int {
        let status = try status()
        guard status.st_mode & S_IFMT == S_IFREG else { throw .denied(.otherKind) }
        try access.checkOwner(status)
        if access != .replicated { try access.checkMode(status.st_mode) }
        if access == .group {
            guard try status.st_gid == directory.status().st_gid else { throw .denied(.otherGroup) }
        }
        return status.st_size
    }

    /// Throws unless this is a file that only root and the process's user can change.
    ///
    /// - Returns: Its size in bytes.
    borrowing func requireTrusted() throws(StorageError) -> Int {
        let status = try status()
        guard status.st_mode & S_IFMT == S_IFREG else { throw .denied(.otherKind) }
        guard status.st_uid == 0 || status.st_uid == geteuid() else { throw .denied(.otherOwner) }
        guard status.st_mode & 0o022 == 0 else { throw .denied(.writableByOthers) }
        return status.st_size
    }

    /// Whether a directory, which the process cannot open, has the mode of a directory that the members of a Unix group share,
    /// and the process is not in that group.
    static func isOfOtherGroup(_ path: String) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_mode & 0o7777 == 0o2770,
            status.st_gid != getegid()
        else { return false }
        var groups = [gid_t](repeating: 0, count: 65_536)
        let count = unsafe getgroups(CInt(groups.count), &groups)
        return count >= 0 && !groups.prefix(Int(count)).contains(status.st_gid)
    }

    /// Whether a directory still has an entry for this file.
    borrowing func isLinked() throws(StorageError) -> Bool { try status().st_nlink > 0 }

    private borrowing func status() throws(StorageError) -> stat {
        var status = stat()
        try check(unsafe fstat(number, &status))
        return status
    }

    /// Reads `count` bytes, fewer only where the file ends before.
    borrowing func read(_ count: Int) throws(StorageError) -> Secret {
        var content = Secret(count: count)
        var filled = 0
        while filled < count {
            var bytes = content.mutableBytes
            let result = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(number, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
            }
            if result < 0 && errno == EINTR { continue }
            try check(result)
            if result == 0 { break }
            filled += result
        }
        return filled == count ? content : content.extracting(0..<filled)
    }

    /// Writes all of `bytes`.
    borrowing func write(_ bytes: Span<UInt8>) throws(StorageError) {
        var written = 0
        while written < bytes.count {
            let result = unsafe bytes.withUnsafeBytes { buffer in
                WriteSignals.blocked {
                    unsafe Glibc.write(number, buffer.baseAddress?.advanced(by: written), buffer.count - written)
                }
            }
            if result < 0 && errno == EINTR { continue }
            try check(result)
            written += result
        }
    }

    /// Sets the mode, whatever the process's mask is.
    borrowing func setMode(_ mode: mode_t) throws(StorageError) { try check(fchmod(number, mode)) }

    /// Waits until the written data, or the directory's entries, are on the device.
    borrowing func synchronise() throws(StorageError) { try check(fsync(number)) }

    /// Acquires the file's lock, exclusive between processes and threads. The kernel releases it when the holder dies. It
    /// is tried again and again, since a holder may keep it for any time.
    ///
    /// - Parameter patience: In milliseconds; 0 does not wait.
    borrowing func lock(patience: Int) throws(StorageError) {
        let interval = 20
        var rest = patience
        while flock(number, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR || errno == EWOULDBLOCK, rest > 0 else { throw StorageError(errno: errno) }
            usleep(20_000)
            rest -= interval
        }
    }

    /// Releases the lock, also where a forked child still holds a copy of the descriptor.
    borrowing func unlock() { flock(number, LOCK_UN) }

    /// In this directory, renames the file `old` to `new` in one step, in place of any file of that name.
    borrowing func rename(_ old: String, to new: String) throws(StorageError) {
        try check(unsafe renameat(number, old, number, new))
    }

    /// In this directory, links the file `old` as `new` as well, unless that name exists.
    borrowing func link(_ old: String, as new: String) throws(StorageError) {
        guard unsafe linkat(number, old, number, new, 0) != 0, errno != EEXIST else { return }
        throw StorageError(errno: errno)
    }

    /// Whether this directory has a directory of this name.
    borrowing func has(_ name: String) throws(StorageError) -> Bool {
        do throws(StorageError) {
            _ = try Descriptor(opening: name, in: self, O_RDONLY | O_DIRECTORY)
            return true
        } catch .notFound {
            return false
        }
    }

    /// Makes a directory in this one, closed to others.
    borrowing func makeDirectory(_ name: String) throws(StorageError) { try check(unsafe mkdirat(number, name, 0o700)) }

    /// Removes a file from this directory.
    borrowing func remove(_ name: String) throws(StorageError) { try check(unsafe unlinkat(number, name, 0)) }

    /// Removes an empty directory from this one.
    borrowing func removeDirectory(_ name: String) throws(StorageError) {
        try check(unsafe unlinkat(number, name, AT_REMOVEDIR))
    }

    /// The names of the entries of this directory but "." and "..", at most as many as the limit.
    borrowing func entries(limit: Int = .max) throws(StorageError) -> [String] {
        let copy = StandardDescriptors.avoid(otherwise: -1) {
            unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        try check(copy)
        guard let stream = unsafe fdopendir(copy) else {
            let code = errno
            close(copy)
            throw StorageError(errno: code)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while names.count < limit, let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
                unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    private func check(_ result: some SignedInteger) throws(StorageError) {
        if result < 0 { throw StorageError(errno: errno) }
    }
}
