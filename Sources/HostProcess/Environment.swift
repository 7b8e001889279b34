// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import CProcess
import Glibc

/// The environment that the process was started with.
package enum Environment {
    /// Whether the program has more rights than the user who started it, or than the user whom it works as at the
    /// moment (seteuid(2)). It must not listen to the wishes of either. A process can change its user at any time.
    package static var isPrivileged: Bool { process_is_privileged() }

    /// An environment variable; nil if it is unset, empty or not text in UTF-8, and in a program that runs with more
    /// rights than the user who started it.
    package static func variable(_ name: String) -> String? {
        guard !isPrivileged, let value = unsafe getenv(name), let text = unsafe String(validatingCString: value)
        else { return nil }
        return text.isEmpty ? nil : text
    }
}
