// SPDX-License-Identifier: Apache-2.0
package import Secrets
package import Storage

extension PairingStore {
    /// The place of a pairing group. Records of different groups never mix.
    package enum Location: Sendable, Equatable {
        /// A directory of the user's own.
        case directory(String)
        /// A directory that the members of a Unix group share, which the administrator makes, and the user's own one for
        /// the keys of tokens that the user has worked with; nil if the user has none.
        case group(String, memory: String? = nil)
        /// A directory that is replicated between the user's machines, and the user's own directory on this machine.
        case synchronised(String, local: String)
        /// Nowhere, since the user has no directory: pairings neither exist nor can be made.
        case nowhere
        /// Unknown, for this reason: no token can be activated or used.
        case unusable(StorageError)

        /// The directory to name when something is wrong with it.
        package var path: String {
            switch self {
            case .directory(let path), .group(let path, memory: _), .synchronised(let path, local: _): path
            case .nowhere, .unusable: ""
            }
        }
    }

    /// Opens the group at `location`.
    ///
    /// - Parameters:
    ///   - create: Whether to make it if it is missing. A directory of a Unix group, and one that is gone after it was
    ///     in use, is never made.
    ///   - random: Source of seals and their key.
    ///   - patience: The milliseconds to wait for a lock that another process holds.
    /// - Returns: The store; nil if it does not exist and is not to be created.
    /// - Throws: The reason why the place cannot be used. A configured place has no substitute.
    package static func open(
        _ location: Location, create: Bool, random: any RandomSource, patience: Int = Directory.patience
    ) throws(StorageError) -> PairingStore? {
        switch location {
        case .directory(let path):
            guard let directory = try Directory.own(path, create: create, patience: patience) else { return nil }
            return try store(in: directory, create)
        case .group(let path, memory: let memory):
            let directory = try Directory(path: path, create: false, access: .group, patience: patience)
            return try store(in: directory, create, known: memory.map(KnownTokens.init))
        case .synchronised(let path, local: let local):
            let sealed = try SealedDirectory.open(
                path, local: local, kind: .pairing, create: create, random: random, patience: patience)
            guard let sealed else { return nil }
            return PairingStore(
                directory: sealed.local, files: SealedFiles(directory: sealed), isCrowded: try sealed.isCrowded())
        case .nowhere:
            guard !create else { throw .notFound }
            return nil
        case .unusable(let error):
            throw error
        }
    }

    /// A store in one directory. Room for a new record is made first: a full disk is found before the token is asked
    /// for anything.
    private static func store(
        in directory: Directory, _ create: Bool, known: KnownTokens? = nil
    ) throws(StorageError) -> PairingStore {
        let store = PairingStore(directory: directory, files: RecordFiles(directory: directory), known: known)
        if create { try store.makeRoom() }
        return store
    }
}
