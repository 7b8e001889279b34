// SPDX-License-Identifier: Apache-2.0
import Configuration
import Glibc
import KanalKit
import Translation

/// The directories that pairings are kept in, as far as they exist: owner, mode, kind of file system, room.
struct StoreChecks {
    let person: CurrentUser
    let places: [LocalState.Place]

    /// What the first pairing takes, with room to spare.
    private static let bytes: UInt64 = 65_536
    private static let files: UInt64 = 16

    func findings() -> [Finding] {
        var findings = places.flatMap { check($0) }
        // Places of one user lie on one file system as a rule: what is true of it is said once.
        for finding in places.flatMap({ fileSystem(of: $0.path) }) where !findings.contains(finding) {
            findings.append(finding)
        }
        return findings
    }

    private func check(_ place: LocalState.Place) -> [Finding] {
        guard let status = Files.status(place.path, followingLinks: false) else { return missing(place) }
        guard status.isDirectory else {
            return [
                .error(
                    "store.kind",
                    status.isLink
                        ? "the pairings' directory \(place.path) is a link"
                        : "the pairings' directory \(place.path) is a file",
                    remedy: .command("mv \(place.path.quoted) \((place.path + ".other").quoted)"))
            ]
        }
        let findings = place.isShared ? shared(place, status) : own(place, status)
        return findings.isEmpty ? above(place) : findings
    }

    /// A directory above the store in which another user can put another store in its place.
    private func above(_ place: LocalState.Place) -> [Finding] {
        var path = Files.resolved(place.path) ?? place.path
        while path != "/" {
            path = Files.parent(path)
            guard let status = Files.status(path) else { continue }
            if status.owner != person.id, status.owner != 0 {
                return [
                    .error(
                        "store.above",
                        """
                        \(path), above the pairings in \(place.path), belongs to user \(status.owner), who can put others \
                        in their place
                        """,
                        remedy: person.asRoot("chown \(person.id) \(path.quoted)"))
                ]
            }
            // With the sticky bit, only the owner of an entry replaces it. A user's own group has no other member.
            let isOwnGroup = status.group == person.group || status.group == 0
            let open = isOwnGroup || place.isShared ? S_IWOTH : S_IWOTH | S_IWGRP
            guard status.mode & open != 0, status.mode & S_ISVTX == 0 else { continue }
            let asOwner = status.owner == person.id ? Phrase.command : person.asRoot
            return [
                .error(
                    "store.above",
                    """
                    others can write to \(path) (mode \(status.access)), and so put other pairings in the place of \
                    \(place.path)
                    """,
                    remedy: asOwner("chmod go-w \(path.quoted)"))
            ]
        }
        return []
    }

    private func missing(_ place: LocalState.Place) -> [Finding] {
        if place.isShared {
            return [
                .error(
                    "store.group", "the group's directory of pairings \(place.path) does not exist or is closed",
                    remedy: person.asRoot("install -d -m 2770 -g GROUP \(place.path.quoted)"))
            ]
        }
        let parent = Files.nearest(place.path)
        if Files.allows(W_OK | X_OK, parent) { return [] }
        // A read-only file system is reported by another check.
        if Volume(of: parent)?.isReadOnly ?? false { return [] }
        let seen: Phrase = Files.status(parent).map { " (owner \($0.owner), mode \($0.access))" } ?? ""
        return [
            .error(
                "store.parent",
                "\(place.path) cannot be created: user \(person.name) may not write to \(parent)\(seen)",
                remedy: person.asRoot("chown \(person.id) \(parent.quoted)"))
        ]
    }

    private func own(_ place: LocalState.Place, _ status: Files.Status) -> [Finding] {
        let foreign =
            status.owner != person.id ? place.path : content(of: place.path).first { $0.1.owner != person.id }?.0
        if let foreign {
            let owner = Files.status(foreign, followingLinks: false)?.owner ?? status.owner
            return [
                .error(
                    "store.owner", "\(foreign) belongs to user \(owner), not to \(person.name) (\(person.id))",
                    remedy: person.asRoot("chown -R \(person.id) \(place.path.quoted)"))
            ]
        }
        var open = status.mode & 0o077 != 0 ? (place.path, status) : nil
        if open == nil, !place.isReplicated { open = content(of: place.path).first { $0.1.mode & 0o077 != 0 } }
        guard let open else { return [] }
        return [
            .error(
                "store.mode", "group or others have access to \(open.0) (mode \(open.1.access))",
                remedy: .command("chmod -R go= \(place.path.quoted)"))
        ]
    }

    private func shared(_ place: LocalState.Place, _ status: Files.Status) -> [Finding] {
        if status.mode & 0o007 != 0 || status.mode & S_ISGID == 0 {
            return [
                .error(
                    "store.mode", "the group's directory \(place.path) has mode \(status.access) instead of 2770",
                    remedy: person.asRoot("chmod 2770 \(place.path.quoted)"))
            ]
        }
        guard !Files.allows(R_OK | W_OK | X_OK, place.path) else { return [] }
        return [
            .error(
                "store.group",
                """
                user \(person.name) is not a member of group \(groupName(status.group)), which shares the pairings in \
                \(place.path)
                """,
                remedy: person.asRoot("gpasswd -a \(person.name.quoted) \(groupName(status.group).quoted)"))
        ]
    }

    private func groupName(_ number: gid_t) -> String {
        let number = String(number)
        let line = Files.lines("/etc/group").lazy.map { $0.split(separator: ":", omittingEmptySubsequences: false) }
            .first { $0.count > 2 && $0[2] == number }
        return line.map { String($0[0]) } ?? number
    }

    /// What lies in a store, to the depth that stores have.
    private func content(of path: String, depth: Int = 0) -> [(String, Files.Status)] {
        Files.names(in: path, limit: 4096).flatMap { name in
            let file = "\(path)/\(name)"
            guard let status = Files.status(file, followingLinks: false) else { return [(String, Files.Status)]() }
            let inside = status.isDirectory && depth < 2 ? content(of: file, depth: depth + 1) : []
            return [(file, status)] + inside
        }
    }

    private func fileSystem(of path: String) -> [Finding] {
        let place = Files.nearest(path)
        guard let system = Volume(of: place) else { return [] }
        let point = system.mount?.point ?? place
        if system.isReadOnly {
            return [
                .error(
                    "store.readonly", "the file system of \(path), mounted at \(point), is read-only",
                    remedy: person.asRoot("mount -o remount,rw \(point.quoted)"))
            ]
        }
        if system.freeBytes < Self.bytes || system.freeFiles < Self.files {
            let seen: Phrase = system.freeBytes < Self.bytes ? "\(system.freeBytes) bytes" : "\(system.freeFiles) files"
            return [
                .error(
                    "store.full", "the file system of \(path), mounted at \(point), has room for \(seen) only",
                    remedy: "Delete files below \(point) that are not needed")
            ]
        }
        guard system.isOfNetwork, let mount = system.mount else { return [] }
        return [
            .warning(
                "store.network",
                "the pairings in \(path) are stored on another machine: \(mount.point) is of the kind \(mount.kind)",
                remedy: "Set XDG_DATA_HOME to a directory on a disk of this machine")
        ]
    }
}
