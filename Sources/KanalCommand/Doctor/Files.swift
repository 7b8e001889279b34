// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Facts about files. Nothing is written, and nothing waits for a writer.
enum Files {
    struct Status: Equatable {
        let mode: mode_t
        let owner: uid_t
        let group: gid_t
        let device: UInt64
        let inode: UInt64
        /// In seconds since 1970.
        let modified: Int

        var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
        var isFile: Bool { mode & S_IFMT == S_IFREG }
        var isLink: Bool { mode & S_IFMT == S_IFLNK }
        /// The bits of access, with those for set-ID, in octal digits.
        var access: String {
            let digits = String(mode & 0o7777, radix: 8)
            return String(repeating: "0", count: max(4 - digits.count, 0)) + digits
        }
    }

    /// The status of a file; nil, with `errno`, after an error.
    static func status(_ path: String, followingLinks: Bool = true) -> Status? {
        var status = stat()
        guard unsafe fstatat(AT_FDCWD, path, &status, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return Status(
            mode: status.st_mode, owner: status.st_uid, group: status.st_gid, device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino), modified: status.st_mtim.tv_sec)
    }

    static func exists(_ path: String) -> Bool { status(path) != nil }

    /// Whether this user may do what is asked for with a file: a sum of `R_OK`, `W_OK` and `X_OK`.
    static func allows(_ access: Int32, _ path: String) -> Bool {
        unsafe faccessat(AT_FDCWD, path, access, AT_EACCESS) == 0
    }

    static func content(_ path: String, limit: Int = 1 << 20) -> String? {
        bytes(path, limit: limit).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The content of a file; nil if it cannot be read. Of a longer one, the end.
    static func bytes(_ path: String, limit: Int) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let end = lseek(descriptor, 0, SEEK_END)
        lseek(descriptor, max(end - limit, 0), SEEK_SET)
        var content: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while content.count < limit {
            let count = unsafe read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            content += part.prefix(count)
        }
        return content
    }

    static func lines(_ path: String) -> [String] {
        content(path)?.split(whereSeparator: \.isNewline).map(String.init) ?? []
    }

    /// The names in a directory, sorted, without those that begin with a dot; empty if it cannot be read.
    static func names(in path: String, limit: Int = 65_536) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while names.count < limit, let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// The path with all links resolved; nil if there is nothing.
    static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// The target of a link; nil if it is not one, or cannot be read.
    static func link(_ path: String) -> String? {
        var text = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(path, &text, text.count)
        return count < 0 ? nil : String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The nearest directory above a path, or the path itself, that exists.
    static func nearest(_ path: String) -> String {
        var path = path
        while path != "/", !exists(path) { path = parent(path) }
        return path
    }

    static func parent(_ path: String) -> String {
        let parts = path.split(separator: "/").dropLast()
        return "/" + parts.joined(separator: "/")
    }
}
