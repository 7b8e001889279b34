// SPDX-License-Identifier: Apache-2.0
import Glibc
import KanalKit
import Translation

/// `kanal.conf` of the administrator and of the user.
struct ConfigurationChecks {
    let person: Person
    let state: LocalState

    func findings() -> [Finding] {
        state.faults.map { fault in
            let place = fault.line.map { "\(fault.file):\($0)" } ?? fault.file
            let problem: Phrase = "\(place): \(fault.text)"
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
