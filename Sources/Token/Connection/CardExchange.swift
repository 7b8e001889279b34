// SPDX-License-Identifier: Apache-2.0

package import APDU
import Logging
import Secrets
import SecureChannel
import Translation

/// A command that a card has answered, as far as a log may show it: no data.
package struct CardExchange: Sendable {
    /// CLA, INS, P1 and P2.
    package let header: UInt32
    /// The path of the file that was selected last, two bytes for each command.
    package let file: [UInt8]
    package let status: StatusWord

    init(_ header: (cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8), file: [UInt8], status: StatusWord) {
        self.header = [header.cla, header.ins, header.p1, header.p2].reduce(0) { $0 << 8 | UInt32($1) }
        self.file = file
        self.status = status
    }
}
