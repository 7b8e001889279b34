// SPDX-License-Identifier: Apache-2.0
import Glibc

extension Directory {
    /// The users that may reach a directory and its files.
    package enum Access: Sendable {
        /// The user who runs the process: the directory has mode 0700, its files 0600, and all are the user's.
        case owner
        /// The members of a Unix group, whatever the owners: the directory has mode 2770, so that new entries are of
        /// its group, and its files have 0660. The administrator makes it, and
        /// ``Directory/init(path:create:access:patience:)`` never does.
        case group
        /// The user who runs the process. Other programs put files there too, with modes of their own: these do not
        /// count, since the directory has mode 0700. The files' content must be protected by other means.
        case replicated

        /// The mode of new files.
        var fileMode: mode_t { self == .group ? 0o660 : 0o600 }

        func checkOwner(_ status: stat) throws(StorageError) {
            guard self == .group || status.st_uid == geteuid() else { throw .denied(.otherOwner) }
        }

        func checkMode(_ mode: mode_t) throws(StorageError) {
            guard mode & (self == .group ? 0o007 : 0o077) == 0 else { throw .denied(.accessibleToOthers) }
        }
    }
}
