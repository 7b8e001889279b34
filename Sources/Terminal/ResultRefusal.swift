// SPDX-License-Identifier: Apache-2.0
import CHostProcess
import Glibc
package import Translation

/// Why a result does not go where it was sent.
package enum ResultRefusal: Explained, Equatable {
    /// A link of another user is on the way.
    case link(String)
    /// It is a pipe or a device of another user.
    case device(String)
    /// It is one of the files that were read.
    case input(String)
    /// The directory's owner, or another user who may write to it, has replaced it.
    case exchanged(String)
    /// There is a file of that name, which was not to be replaced.
    case exists(String)
    /// It is a folder.
    case folder(String)
    /// Its folder does not exist.
    case folderMissing(String)

    package var explanation: Phrase {
        switch self {
        case .link(let path):
            "\(path.printable): a link of another user leads there: name the file itself"
        case .device(let path):
            "\(path.printable) is a pipe or a device of another user: name a file of your own"
        case .input(let path):
            "\(path.printable) is read, and would be lost: name another file for the result"
        case .exchanged(let path):
            "\(path.printable) was exchanged by another program: name a file in a directory of your own"
        case .exists(let path):
            "\(path.printable) is there already: --overwrite replaces it"
        case .folder(let path):
            "\(path.printable) is a folder: name a file in it"
        case .folderMissing(let path):
            "there is no folder for \(path.printable): make it, or name a file in another one"
        }
    }
}
