// SPDX-License-Identifier: Apache-2.0
import CHostProcess
import Glibc
import Translation

/// The place of a result. The name is followed step by step, so that no link of another user is followed, and no
/// directory can be exchanged after it was checked.
enum ResultPlace {
    /// A name in a directory, and the file that has it.
    case name([CChar], in: OpenDirectory, stat?)
    /// A descriptor of this process, such as `/dev/stdout`: a copy of it.
    case descriptor(Int32)

    /// The greatest number of links on the way, as the system has it.
    private static let linkLimit = 40

    init(_ path: String) throws {
        let bytes = FileName.bytes(of: path)
        var directory = try OpenDirectory(bytes.first == UInt8(ascii: "/") ? "/" : ".", path)
        var (rest, links) = (Self.steps(bytes), 0)
        while let step = rest.popLast() {
            let name = step.map(CChar.init(bitPattern:)) + [0]
            let number = unsafe openat(directory.number, name, path_only | O_NOFOLLOW | O_CLOEXEC)
            guard number >= 0 else {
                guard errno == ENOENT, rest.isEmpty else { throw SystemError(errno, path) }
                self = .name(name, in: directory, nil)
                return
            }
            let found = OpenDirectory(number)
            let status = try found.status(path)
            if status.st_mode & S_IFMT == S_IFLNK {
                links += 1
                guard links <= Self.linkLimit else { throw SystemError(ELOOP, path) }
                if try directory.isOfProcesses(path), let number = Int32(String(decoding: step, as: UTF8.self)) {
                    self = .descriptor(try directory.copy(of: number, name, path))
                    return
                }
                guard try directory.mayFollow(status, isLast: rest.isEmpty, path) else {
                    throw ResultRefusal.link(path)
                }
                let target = try found.target(path)
                if target.first == UInt8(ascii: "/") { directory = try OpenDirectory("/", path) }
                rest += Self.steps(target)
            } else if rest.isEmpty {
                guard status.st_mode & S_IFMT != S_IFDIR else { throw SystemError(EISDIR, path) }
                self = .name(name, in: directory, status)
                return
            } else {
                directory = found
            }
        }
        throw SystemError(bytes.isEmpty ? ENOENT : EISDIR, path)
    }

    /// The parts of a path, the last first.
    private static func steps(_ path: [UInt8]) -> [[UInt8]] {
        var steps = path.split(separator: UInt8(ascii: "/")).map(Array.init)
        // A name with a slash at its end is a directory's.
        if path.last == UInt8(ascii: "/"), !steps.isEmpty { steps.append(Array(".".utf8)) }
        return steps.reversed()
    }
}

/// A directory, or a link, that is held and not read.
final class OpenDirectory: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    init(_ name: String, _ path: String) throws(SystemError) {
        number = unsafe open(name, path_only | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError(errno, path) }
    }

    deinit { close(number) }

    func status(_ path: String) throws(SystemError) -> stat {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw SystemError(errno, path) }
        return status
    }

    /// The target of a link.
    fileprivate func target(_ path: String) throws(SystemError) -> [UInt8] {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlinkat(number, "", &target, target.count)
        guard count >= 0 else { throw SystemError(errno, path) }
        return target.prefix(count).map(UInt8.init(bitPattern:))
    }

    /// Whether a link in this directory is the user's or root's. On the way to the file, those in a user's directory are
    /// followed as the system does, but not for root.
    fileprivate func mayFollow(_ link: stat, isLast: Bool, _ path: String) throws(SystemError) -> Bool {
        if link.st_uid == geteuid() || link.st_uid == 0 { return true }
        guard !isLast, geteuid() != 0 else { return false }
        let shared = S_ISVTX | S_IWOTH
        return try status(path).st_mode & shared != shared
    }

    /// Whether the directory is the system's of processes, whose links lead to what no name leads to.
    fileprivate func isOfProcesses(_ path: String) throws(SystemError) -> Bool {
        var processes = stat()
        guard unsafe stat("/proc/self/fd", &processes) == 0 else { return false }
        return try status(path).st_dev == processes.st_dev
    }

    /// A copy of a descriptor of this process that a link in this directory leads to.
    fileprivate func copy(of descriptor: Int32, _ name: [CChar], _ path: String) throws(SystemError) -> Int32 {
        var (there, here) = (stat(), stat())
        guard unsafe fstatat(number, name, &there, 0) == 0 else { throw SystemError(errno, path) }
        guard unsafe fstat(descriptor, &here) == 0, FileIdentity(there) == FileIdentity(here) else {
            throw SystemError(EACCES, path)
        }
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw SystemError(errno, path) }
        return copy
    }
}
