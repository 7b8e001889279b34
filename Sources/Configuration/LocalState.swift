// SPDX-License-Identifier: Apache-2.0
import ContainerFolders
import Glibc
import Locking
import SecureChannel
package import Storage
package import Translation

/// This user's directories and `kanal.conf`, as the library reads them. Nothing is changed, and no service is asked.
package struct LocalState: Sendable, Equatable {
    /// Something that is wrong in a file of the configuration, or has no effect there.
    package struct Fault: Sendable, Equatable {
        package let file: String
        /// From 1; nil if it concerns the whole file.
        package let line: Int?
        package let text: Phrase
        /// Whether the line counts for nothing because it is wrong.
        package let isError: Bool
    }

    /// A directory of the environment that counts for nothing.
    package struct IgnoredDirectory: Sendable, Equatable {
        package let variable: String
        package let reason: Phrase
    }

    /// A directory that pairings are kept in.
    package struct Place: Sendable, Equatable {
        package let path: String
        /// Whether the members of a Unix group share it.
        package let isShared: Bool
        /// Whether other programs put files there, whose modes do not count.
        package let isReplicated: Bool
    }

    /// A folder that `containers` names, or one in it, that has no key container or is not used.
    package struct UnusedFolder: Sendable, Equatable {
        package enum Fault: Sendable, Equatable {
            case missing, withoutContainer, openToOthers, foreign, otherKind
            case unreadable(Phrase)
        }

        package let path: String
        package let fault: Fault
    }

    /// In the order of their files.
    package let faults: [Fault]
    /// Whether the faults keep every token from being used.
    package let isClosed: Bool
    /// The directories of the environment that count for nothing.
    package private(set) var ignoredDirectories: [IgnoredDirectory]
    /// The user's home directory; nil if none is usable.
    package let home: String?
    /// The home directory that the system knows for the user, whether it exists or not.
    package let knownHome: String?
    /// The user's `kanal.conf`, whether it exists or not; nil without a home.
    package let configurationFile: String?
    /// The stores of pairings; empty if none is usable.
    package let places: [Place]
    /// The folders of key containers that bring no slot.
    package let unusedFolders: [UnusedFolder]

    /// The present state.
    ///
    /// - Throws: ``StorageError/noDescriptors`` if the process has no file descriptors left.
    package init() throws(StorageError) {
        let warnings = Lock<[IgnoredDirectory]>([])
        let directories = UserDirectories(warn: { ignored in
            warnings.withLock { $0.append(IgnoredDirectory(variable: ignored.variable, reason: ignored.reason)) }
        })
        self.init(try Configuration(of: directories), in: directories.found())
        ignoredDirectories = warnings.withLock { $0 }
    }

    /// The state with a configuration.
    package init(_ configuration: Configuration, in found: UserDirectories.Found) {
        faults = configuration.remarks.map { remark in
            Fault(file: remark.file, line: remark.line, text: remark.text, isError: remark.isError)
        }
        isClosed = configuration.isClosed
        home = found.home
        knownHome = PasswordDatabase.home(of: geteuid())
        configurationFile = found.configuration.map { $0 + "/kanal/kanal.conf" }
        places = Place.all(in: configuration.location(data: found.data, home: found.home))
        unusedFolders = configuration.containerFolders(home: found.home).flatMap(UnusedFolder.all)
        ignoredDirectories = []
    }
}

extension LocalState.UnusedFolder {
    static func all(in folder: String) -> [Self] {
        var unused: [Self] = []
        let found = ContainerFolder.find(folder) { path, error in unused.append(Self(path: path, fault: Fault(error))) }
        return found.isEmpty && unused.isEmpty ? [Self(path: folder, fault: .withoutContainer)] : unused
    }
}

extension LocalState.UnusedFolder.Fault {
    fileprivate init(_ error: StorageError) {
        self =
            switch error {
            case .notFound: .missing
            case .denied(.accessibleToOthers): .openToOthers
            case .denied(.otherOwner): .foreign
            case .denied(.otherKind): .otherKind
            default: .unreadable(error.explanation)
            }
    }
}

extension LocalState.Place {
    static func all(in location: PairingStore.Location) -> [Self] {
        switch location {
        case .directory(let path): [own(path)]
        case .group(let path, memory: let memory):
            [Self(path: path, isShared: true, isReplicated: false)] + (memory.map { [own($0)] } ?? [])
        case .synchronised(let path, local: let local):
            [Self(path: path, isShared: false, isReplicated: true), own(local)]
        case .nowhere, .unusable: []
        }
    }

    private static func own(_ path: String) -> Self { Self(path: path, isShared: false, isReplicated: false) }
}
