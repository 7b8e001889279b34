// SPDX-License-Identifier: Apache-2.0

import Glibc
import Secrets

/// A file of settings for programs, by a user or the administrator.
package enum TrustedFile {
    /// The content of the file, or nil if it does not exist. Links are followed. Only root or the process's user may be
    /// able to write the file that they lead to.
    ///
    /// - Parameter limit: The greatest size to accept, in bytes.
    package static func read(_ path: String, limit: Int) throws(StorageError) -> [UInt8]? {
        do throws(StorageError) {
            let file = try Descriptor(following: path)
            let size = try file.requireTrusted()
            guard size <= limit else { throw .tooLarge }
            return [UInt8](copying: try file.read(size))
        } catch .notFound {
            return nil
        }
    }
}
