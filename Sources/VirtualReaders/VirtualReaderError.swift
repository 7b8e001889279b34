// SPDX-License-Identifier: Apache-2.0
import Glibc
package import Translation

/// Why a connection to a virtual reader ended or did not come about.
package enum VirtualReaderError: Explained, Equatable {
    /// The address is not a dotted IPv4 address.
    case invalidAddress
    /// A failure of the operating system, by its `errno`, for instance that no program listens there.
    case system(errno: Int32)
    /// The other end closed the connection.
    case closed
    /// The command that made the connection has ended.
    case ended
    /// The other end has been silent for too long: a working reader asks for the card several times a second.
    case silent
    /// The card's answer has more bytes than a frame.
    case tooLong

    package var explanation: Phrase {
        switch self {
        case .invalidAddress: "not a dotted IPv4 address"
        case .system(EAGAIN), .system(EINPROGRESS): "no answer"
        case .system(let code): Phrase(errno: code)
        case .closed: "the reader closed the connection"
        case .ended: "the command of the tunnel has ended"
        case .silent: "the reader has fallen silent"
        case .tooLong: "the token's answer is longer than the reader can transfer"
        }
    }
}
