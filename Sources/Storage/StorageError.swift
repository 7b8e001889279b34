// SPDX-License-Identifier: Apache-2.0
import Glibc
package import Translation

/// Why a directory or a file in it could not be used.
package enum StorageError: Error, Sendable, Equatable {
    /// The directory does not exist.
    case notFound
    /// The directory or file exists, but must not or cannot be used.
    case denied(Denial)
    /// No room is left on the device or in the user's quota. The former content is still stored.
    case full
    /// The file is longer than the caller expects.
    case tooLarge
    /// Another process holds the directory's lock.
    case locked
    /// The name is empty, hidden (it begins with a dot), or has a slash or NUL in it.
    case invalidName
    /// The process, or the system, has no file descriptor left.
    case noDescriptors
    /// Another failure of the operating system, by its `errno`.
    case system(errno: Int32)

    /// Why something that exists is refused.
    package enum Denial: Sendable, Equatable {
        /// Its group or everybody may read, write or search it.
        case accessibleToOthers
        /// It belongs to another user.
        case otherOwner
        /// It is a shared directory whose set-group-ID bit is not set.
        case withoutGroup
        /// It is a file of another group than the shared directory's.
        case otherGroup
        /// It is a directory that the members of a Unix group share, and the process's user is not a member.
        case otherMembers
        /// It is a file of settings, and its group or everybody may change it.
        case writableByOthers
        /// An error in the configuration leaves open which directory to use.
        case configuration
        /// It is a symbolic link, or neither a plain file nor a directory as it should be.
        case otherKind
        /// The operating system denies access.
        case permission
        /// The file system is mounted to be read only.
        case readOnly
    }

    /// The error behind an `errno`.
    init(errno code: Int32) {
        self =
            switch code {
            case ENOENT: .notFound
            case EACCES, EPERM: .denied(.permission)
            case EROFS: .denied(.readOnly)
            case ELOOP, ENOTDIR, EISDIR, ENXIO: .denied(.otherKind)
            case ENOSPC, EDQUOT, EFBIG: .full
            case EWOULDBLOCK: .locked
            case EMFILE, ENFILE: .noDescriptors
            default: .system(errno: code)
            }
    }
}

extension StorageError: Explained {
    package var explanation: Phrase {
        switch self {
        case .notFound: "the directory does not exist"
        case .denied(.accessibleToOthers): "group or others have access"
        case .denied(.otherOwner): "it belongs to another user"
        case .denied(.withoutGroup): "its set-group-ID bit is not set"
        case .denied(.otherGroup): "it belongs to another group than its directory"
        case .denied(.otherMembers): "the user is not in the group that shares it"
        case .denied(.writableByOthers): "group or others can change it"
        case .denied(.configuration): "kanal.conf has an error"
        case .denied(.otherKind): "it is a symbolic link or not of the expected kind"
        case .denied(.permission): "permission denied"
        case .denied(.readOnly): "the file system is read-only"
        case .full: "no space left"
        case .tooLarge: "the file is too large"
        case .locked: "another process holds the lock"
        case .invalidName: "not a valid file name"
        case .noDescriptors: "no file descriptors are left"
        case .system(let code): "system error \(code)"
        }
    }
}
