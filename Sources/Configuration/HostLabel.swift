// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostProcess

/// This host's name in a token's list of hosts: `user@machine application`, in at most 32 bytes of UTF-8. It is read by
/// those who are paired with the token, and distinguishes them.
package struct HostLabel {
    /// The most bytes that a token stores (GSC/1, 5).
    static let limit = 32

    package let text: String

    /// The label of this process, by its present user.
    static var ofProcess: HostLabel {
        let user = PasswordDatabase.name(of: geteuid()) ?? ""
        return HostLabel(user: user, machine: HostNames.machine(), program: HostNames.program())
    }

    /// An unknown part is empty.
    package init(user: String, machine: String, program: String) {
        let separator = user.isEmpty || machine.isEmpty ? "" : "@"
        // At least eight bytes are the application's, so that two of one user differ.
        let reserved = program.isEmpty ? 0 : 1 + min(program.utf8.count, 8)
        let place = (user + separator + machine).cut(to: Self.limit - reserved)
        let rest = Self.limit - place.utf8.count - (place.isEmpty ? 0 : 1)
        let name = program.cut(to: rest)
        text = [place, name].filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension String {
    /// The characters from the beginning that fit into a number of bytes of UTF-8.
    fileprivate func cut(to limit: Int) -> String {
        var text = self
        while text.utf8.count > limit { text.removeLast() }
        return text
    }
}
