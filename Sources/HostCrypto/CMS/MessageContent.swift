// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The place of the content in a message.
enum MessageContent: Sendable {
    case none
    case bytes(count: Int)
    case pieces(StringPieces)
}
