// SPDX-License-Identifier: Apache-2.0
import SecureChannel
package import Secrets

/// What a process remembers of its channels to the tokens in one reader, from one connection to the next.
package final class ChannelHistory {
    /// This process's name in channels.
    let instance: Instance
    /// Openings that led to nothing.
    var opens = FruitlessOpens()
    /// When a session was last lost, most often to other hosts.
    private var lastLoss: Duration?

    /// How long a call asks whether the session still is, once one was lost.
    private static let caution = Duration.seconds(600)

    package init(random: any RandomSource) throws(TokenError) {
        do { instance = try Instance(random: random) } catch { throw .channel(error) }
    }

    func countLoss(at now: Duration) { lastLoss = now }

    /// Whether sessions were lost of late, so that a call had better ask before it does what must not be done twice.
    func isContended(at now: Duration) -> Bool { lastLoss.map { now - $0 < Self.caution } ?? false }
}
