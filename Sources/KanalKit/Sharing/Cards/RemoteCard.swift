// SPDX-License-Identifier: Apache-2.0

import APDU
import Glibc
import TokenEnd

/// The card in the far reader.
package protocol RemoteCard: AnyObject {
    /// Whether the token failed to answer: it has to be found again before anything else is sent to it.
    var isLost: Bool { get }

    /// The far reader powered the card down, or reset it.
    func reset()

    /// The answer to a command APDU; nil if the token was lost with it.
    func answer(_ apdu: [UInt8]) -> [UInt8]?
}
