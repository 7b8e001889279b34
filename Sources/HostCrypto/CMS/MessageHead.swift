// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The part of a message before the content.
protocol MessageHead: Sendable {
    /// The elements that the whole message is in, and those that only the content is in: from the outermost on.
    var outer: [MessageCursor.Frame] { get }
    var inner: [MessageCursor.Frame] { get }
    var content: MessageContent { get }
    /// The number of its bytes.
    var count: Int { get }

    init(reading cursor: inout MessageCursor) throws(MessageCursor.Stop)
}

extension MessageHead {
    /// - Returns: nil if more bytes have to come.
    init?(_ bytes: [UInt8]) throws(HostCryptoError) {
        var cursor = MessageCursor(bytes)
        do throws(MessageCursor.Stop) { try self.init(reading: &cursor) } catch {
            switch error {
            case .incomplete: return nil
            case .refused(let error): throw error
            }
        }
    }
}
