// SPDX-License-Identifier: Apache-2.0
import Configuration
import Translation

/// The folders of key containers that `kanal.conf` names.
struct FolderChecks {
    let person: CurrentUser
    let state: LocalState

    func findings() -> [Finding] { state.unusedFolders.map(finding) }

    private func finding(_ folder: LocalState.UnusedFolder) -> Finding {
        let path = folder.path
        switch folder.fault {
        case .withoutContainer:
            return .warning(
                "containers.none", "there is no key container in the folder \(path), which kanal.conf names",
                remedy: "Set containers to the folder with header.key, or to a folder of such folders")
        case .missing:
            return .warning(
                "containers.missing", "the folder of key containers \(path), which kanal.conf names, does not exist",
                remedy: "Create it, or remove it from containers")
        case .openToOthers:
            return .error(
                "containers.mode",
                "group or others have access to the key container \(path), which is therefore not used",
                remedy: .command("chmod -R go= \(path.quoted)"))
        case .foreign:
            return .error(
                "containers.owner",
                "the key container \(path), or a file of it, belongs to another user than \(person.name)",
                remedy: person.asRoot("chown -R \(person.id) \(path.quoted)"))
        case .otherKind:
            return .warning(
                "containers.kind", "\(path), or a file in it, is a symbolic link or not of the expected kind",
                remedy: "Put the folder of the key container itself in its place")
        case .unreadable(let reason):
            return .error(
                "containers.access", "the key container \(path) cannot be read: \(reason)",
                remedy: "Make it readable for this user, or remove it from containers")
        }
    }
}
