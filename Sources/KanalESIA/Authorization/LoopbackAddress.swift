// SPDX-License-Identifier: Apache-2.0

import Glibc
import HostProcess
import KanalKit
import Translation

/// The address at 127.0.0.1 that answers go to.
package struct LoopbackAddress: Sendable, Equatable {
    /// Nil if the system chooses one (RFC 8252, 7.3).
    var port: UInt16?
    var path = "/authorization"

    package init() {}

    /// Reads `http://127.0.0.1/PATH` or `http://127.0.0.1:PORT/PATH`.
    ///
    /// - Returns: nil for any other text.
    package init?(_ text: String) {
        let start = "http://127.0.0.1"
        guard text.hasPrefix(start), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let rest = text.dropFirst(start.count)
        guard let slash = rest.firstIndex(of: "/"), !rest.contains(where: "?#".contains) else { return nil }
        path = String(rest[slash...])
        let port = rest[..<slash]
        guard !port.isEmpty else { return }
        guard port.first == ":", port.dropFirst().allSatisfy(\.isNumber), let number = UInt16(port.dropFirst()),
            number > 0
        else { return nil }
        self.port = number
    }
}
