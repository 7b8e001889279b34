// SPDX-License-Identifier: Apache-2.0

import Configuration
import Glibc
import KanalKit
import Translation

/// `kanal.conf` of the administrator and of the user.
struct ConfigurationChecks {
    let person: CurrentUser
    let state: LocalState

    func findings() -> [Finding] {
        state.faults.map { fault in
            let problem = fault.placed
            guard fault.isError else {
                return .warning("configuration.effect", problem, remedy: edit(fault))
            }
            if fault.line == nil, let remedy = opening(fault.file) {
                return .error("configuration.access", problem, remedy: remedy)
            }
            return .error("configuration.line", problem, remedy: edit(fault))
        }
    }

    private func edit(_ fault: LocalState.Fault) -> Phrase {
        let place = (fault.line.map { "+\($0) " } ?? "") + fault.file.quoted
        let isOwn = Files.status(fault.file)?.owner == person.id && !person.isRoot
        return isOwn ? .command("editor \(place)") : person.asRoot("editor \(place)")
    }

    /// The command that makes a file readable for the library; nil if it is what is in the file that is wrong.
    private func opening(_ file: String) -> Phrase? {
        guard let status = Files.status(file), status.isFile else { return nil }
        if status.owner != person.id, status.owner != 0 { return person.asRoot("chown \(person.name) \(file.quoted)") }
        let asOwner = status.owner == person.id ? Phrase.command : person.asRoot
        if status.mode & 0o022 != 0 { return asOwner("chmod go-w \(file.quoted)") }
        return Files.allows(R_OK, file) ? nil : asOwner("chmod a+r \(file.quoted)")
    }
}

/// The user's directories, where pairings and settings lie.
struct HomeChecks {
    let person: CurrentUser
    let state: LocalState

    func findings() -> [Finding] {
        let ignored = state.ignoredDirectories.map {
            Finding.error("home.foreign", $0.reason, remedy: unset($0.variable))
        }
        guard let home = state.home else {
            let known: Phrase =
                state.knownHome.map { "\"\($0)\" does not belong to this user" } ?? "the system knows none"
            return ignored + [
                .error(
                    "home.missing",
                    "user \(person.name) has no home directory, so that nothing can be activated: \(known)",
                    remedy: state.knownHome.map(make) ?? "Set HOME to a directory of this user")
            ]
        }
        guard Files.exists(home) else {
            return ignored + [
                .error("home.missing", "the home directory \(home) does not exist", remedy: make(home))
            ]
        }
        return ignored
    }

    /// The command that has the variable count that the library would not follow.
    private func unset(_ variable: String) -> Phrase {
        guard variable == "HOME", let known = state.knownHome, Files.status(known)?.owner == person.id else {
            return .command("unset \(variable)")
        }
        return .command("export HOME=\(known.quoted)")
    }

    private func make(_ path: String) -> Phrase {
        person.asRoot("install -d -m 700 -o \(person.id) -g \(person.group) \(path.quoted)")
    }
}
