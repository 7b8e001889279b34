// SPDX-License-Identifier: Apache-2.0
import Glibc
import Translation

/// The user who asks, and how this machine is managed: what commands have to look like.
struct Person {
    let id = geteuid()
    let group = getegid()
    /// The user's name; the number if the system knows none.
    let name: String

    init() {
        // The file alone: a directory service may not answer.
        let own = String(geteuid())
        let entry = Files.lines("/etc/passwd").lazy.map { $0.split(separator: ":", omittingEmptySubsequences: false) }
            .first { $0.count > 2 && $0[2] == own }
        name = entry.map { String($0[0]) } ?? own
    }

    var isRoot: Bool { id == 0 }

    /// The command as this user has to give it, where it needs the rights of root.
    func asRoot(_ command: String) -> Phrase { .command(isRoot ? command : "sudo " + command) }

    /// Whether systemd manages the services.
    var hasSystemd: Bool { Files.exists("/run/systemd/system") }

    /// The command that installs packages, by their names on Debian and elsewhere.
    func install(debian: String, fedora: String, arch: String) -> Phrase {
        let system = Files.lines("/etc/os-release").filter { $0.hasPrefix("ID=") || $0.hasPrefix("ID_LIKE=") }
            .joined(separator: " ")
        if system.contains("fedora") || system.contains("rhel") { return asRoot("dnf install \(fedora)") }
        if system.contains("arch") { return asRoot("pacman -S \(arch)") }
        return asRoot("apt-get install \(debian)")
    }
}
