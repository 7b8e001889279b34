// SPDX-License-Identifier: Apache-2.0
package import Glibc
import HostProcess

/// The system's database of users (passwd(5), nsswitch.conf(5)).
package enum PasswordDatabase {
    /// The greatest size of one entry, in bytes.
    private static let limit = 1 << 20

    /// A user's home directory; nil if the system does not know the user.
    package static func home(of user: uid_t) -> String? {
        var size = 1024
        while size <= limit {
            var buffer = [CChar](repeating: 0, count: size)
            var entry = unsafe passwd()
            var result: UnsafeMutablePointer<passwd>?
            let code = StandardDescriptors.spare(otherwise: EMFILE) {
                unsafe getpwuid_r(user, &entry, &buffer, buffer.count, &result)
            }
            if code == ERANGE {
                size *= 4
            } else if code != EINTR {
                guard unsafe code == 0 && result != nil, let home = unsafe entry.pw_dir else { return nil }
                return unsafe String(validatingCString: home)
            }
        }
        return nil
    }
}
