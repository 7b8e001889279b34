// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import CProcess
import Glibc

/// The root directory of the process.
package enum RootDirectory {
    /// Whether it has changed since this code was loaded (chroot(2)). Its files need not be the system's: neither
    /// libraries nor programs nor sockets are looked for there.
    package static var hasChanged: Bool { process_root_has_changed() }
}
