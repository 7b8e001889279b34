// SPDX-License-Identifier: Apache-2.0
import Glibc
import KanalKit
import Translation

/// The user's directories, where pairings and settings lie.
struct HomeChecks {
    let person: Person
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
