// SPDX-License-Identifier: Apache-2.0

import Glibc
import Translation

/// A process, as /proc shows it to this user.
struct RunningProcess: Equatable {
    let id: Int
    let owner: uid_t
    /// The name of its program, of which the kernel keeps 15 characters.
    let name: String

    /// Whether it was stopped by a signal.
    var isStopped: Bool { state == "T" }

    /// Whether it has ended, and its parent has not yet asked how.
    fileprivate var isOver: Bool { state == "Z" }

    /// The letter of proc(5).
    private var state: Character? {
        // The name before the state can have anything in it.
        guard let status = Files.content("/proc/\(id)/stat"), let end = status.lastIndex(of: ")") else { return nil }
        return status[end...].dropFirst(2).first
    }

    /// Whether it is known to live in a container, which has a pcscd of its own.
    var isElsewhere: Bool {
        guard let network = Files.status("/proc/\(id)/ns/net"), let own = Files.status("/proc/self/ns/net") else {
            return false
        }
        return network.inode != own.inode
    }

    /// Whether it has loaded libpcsclite; false, too, if that is not shown to this user.
    var usesReaders: Bool { Files.content("/proc/\(id)/maps", limit: 4 << 20)?.contains("/libpcsclite.so") ?? false }

    /// For people.
    var phrase: Phrase { "\(name) (process \(id), user \(owner))" }

    /// All processes that run, but those in containers.
    static func all() -> [RunningProcess] {
        Files.names(in: "/proc").compactMap { entry -> RunningProcess? in
            guard let id = Int(entry), let owner = Files.status("/proc/\(id)")?.owner,
                let name = Files.content("/proc/\(id)/comm", limit: 64)
            else { return nil }
            return RunningProcess(id: id, owner: owner, name: String(name.prefix { $0 != "\n" }))
        }.filter { !$0.isElsewhere && !$0.isOver }
    }
}
