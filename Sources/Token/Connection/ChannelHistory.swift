// SPDX-License-Identifier: Apache-2.0

import APDU
import Locking
import Logging
package import Secrets
import SecureChannel
import Translation

/// A process's history of its channels to the tokens in one reader, kept across connections.
package final class ChannelHistory {
    /// This process's name in channels.
    let instance: Instance
    /// Openings that failed.
    var opens = OpenFailures()
    /// When a session was last lost, most often to other hosts.
    private var lastLoss: Duration?

    /// The time after a lost session for which calls probe the channel.
    private static let caution = Duration.seconds(600)

    package init(random: any RandomSource) throws(TokenError) {
        do { instance = try Instance(random: random) } catch { throw .channel(error) }
    }

    func countLoss(at now: Duration) { lastLoss = now }

    /// Whether a session was lost recently. If so, probe the channel before a non-idempotent command.
    func isContended(at now: Duration) -> Bool { lastLoss.map { now - $0 < Self.caution } ?? false }
}
