// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The file system that a path lies on.
struct FileSystem {
    /// Where it is mounted, and its kind; nil if the system does not tell.
    let mount: (point: String, kind: String)?
    /// Bytes and files that this user may still make.
    let freeBytes: UInt64
    let freeFiles: UInt64
    let isReadOnly: Bool

    /// The kinds that other machines serve: locks and modes may not be what they seem there, and others can read.
    private static let network: Set<String> = [
        "9p", "afs", "beegfs", "ceph", "cifs", "davfs", "fuse.ceph", "fuse.davfs", "fuse.davfs2", "fuse.glusterfs",
        "fuse.rclone", "fuse.sshfs", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "smb3", "smbfs",
    ]

    var isOfNetwork: Bool { mount.map { Self.network.contains($0.kind) } ?? false }

    /// - Parameter path: Something that exists.
    init?(of path: String) {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        let blocks = geteuid() == 0 ? status.f_bfree : status.f_bavail
        let bytes = UInt64(blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        freeBytes = bytes.overflow ? .max : bytes.partialValue
        // Some file systems do not count files.
        freeFiles = status.f_files == 0 ? .max : UInt64(geteuid() == 0 ? status.f_ffree : status.f_favail)
        isReadOnly = UInt(status.f_flag) & UInt(ST_RDONLY) != 0
        mount = Self.mount(of: Files.resolved(path) ?? path)
    }

    /// The mount with the longest name that the path begins with (proc(5), mountinfo). Of several in one place the last
    /// counts.
    private static func mount(of path: String) -> (point: String, kind: String)? {
        var found: (point: String, kind: String)?
        for line in Files.lines("/proc/self/mountinfo") {
            let fields = line.split(separator: " ")
            guard fields.count > 5, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else { continue }
            let point = unescaped(fields[4])
            let isAbove = point == "/" || path == point || path.hasPrefix(point + "/")
            if isAbove, point.utf8.count >= found?.point.utf8.count ?? 0 { found = (point, String(fields[dash + 1])) }
        }
        return found
    }

    /// The kernel writes blanks and backslashes of a path in three octal digits.
    private static func unescaped(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// What the system tells of files. Nothing is written, and nothing waits for a writer.
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

    /// The status of a file; nil, with `errno`, if it cannot be told.
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

    /// Where a link leads to, or a file lies, without any link on the way; nil if there is nothing.
    static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// What a link says; nil if it is not one, or cannot be read.
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
