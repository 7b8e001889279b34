// SPDX-License-Identifier: Apache-2.0

package import Glibc
import HostProcess
import Locking
import Logging
import Token
import Translation

/// The system's database of users (passwd(5), nsswitch.conf(5)).
package enum PasswordDatabase {
    /// The greatest size of one entry, in bytes.
    private static let limit = 1 << 20

    /// A user's home directory; nil if the system does not know the user.
    package static func home(of user: uid_t) -> String? {
        unsafe text(of: user) { entry in unsafe entry.pw_dir }
    }

    /// A user's name; nil if the system does not know the user.
    package static func name(of user: uid_t) -> String? {
        unsafe text(of: user) { entry in unsafe entry.pw_name }
    }

    /// In another root directory nsswitch.conf(5) could name any user's library.
    private static func text(of user: uid_t, _ field: (passwd) -> UnsafeMutablePointer<CChar>?) -> String? {
        guard !RootDirectory.hasChanged else { return nil }
        var size = 1024
        while size <= limit {
            var buffer = [CChar](repeating: 0, count: size)
            var entry = unsafe passwd()
            var result: UnsafeMutablePointer<passwd>?
            let code = StandardDescriptors.avoid(otherwise: EMFILE) {
                unsafe getpwuid_r(user, &entry, &buffer, buffer.count, &result)
            }
            if code == ERANGE {
                size *= 4
            } else if code != EINTR {
                guard unsafe code == 0 && result != nil, let text = unsafe field(entry) else { return nil }
                return unsafe String(validatingCString: text)
            }
        }
        return nil
    }
}
