// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The file system of a path.
struct Volume {
    /// Its mount point and kind; nil if unknown.
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
