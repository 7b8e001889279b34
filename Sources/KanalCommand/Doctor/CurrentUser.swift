// SPDX-License-Identifier: Apache-2.0

import Glibc
import Translation

/// The user who asks, and how this machine is managed: what commands have to look like.
struct CurrentUser {
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
        let system = [Self.release("ID"), Self.release("ID_LIKE")].joined(separator: " ")
        if system.contains("fedora") || system.contains("rhel") { return asRoot("dnf install \(fedora)") }
        if system.contains("arch") { return asRoot("pacman -S \(arch)") }
        return asRoot("apt-get install \(debian)")
    }

    /// The command that installs the library by which programs reach pcscd.
    var installPCSCLite: Phrase { install(debian: "libpcsclite1", fedora: "pcsc-lite-libs", arch: "pcsclite") }

    var isDebian: Bool { Self.release("ID") == "debian" }

    /// The system's name, such as "Debian 13", if none of its packages has OpenSSL's engine for GOST.
    var systemWithoutEngine: String? {
        let system = Self.release("ID")
        guard let version = Int(Self.release("VERSION_ID").prefix { $0 != "." }) else { return nil }
        switch system {
        case "debian" where version == 13: return "Debian 13"
        case "fedora" where version >= 41: return "Fedora \(version)"
        case "rhel", "centos", "almalinux", "rocky": return version >= 10 ? "\(system) \(version)" : nil
        default: return nil
        }
    }

    /// The value of a name in os-release(5); empty if it has none.
    private static func release(_ name: String) -> String {
        let line = Files.lines("/etc/os-release").first { $0.hasPrefix(name + "=") }
        return String((line ?? "").dropFirst(name.count + 1).filter { $0 != "\"" && $0 != "'" })
    }
}
