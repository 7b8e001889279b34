// SPDX-License-Identifier: Apache-2.0
import HostCrypto

/// What the library has of OpenSSL on this machine.
package enum HostLibrary {
    /// Whether there is a libcrypto that has all functions that are used. It is loaded now, if it was not.
    package static var isUsable: Bool {
        if case .version = LibraryContext.presence { return true }
        return false
    }
}
