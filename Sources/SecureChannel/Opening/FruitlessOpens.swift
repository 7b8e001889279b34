// SPDX-License-Identifier: Apache-2.0

/// Limits repeated openings of channels that fail (GSC/1, 12): after more than 3 in a row within 10 s, none is opened
/// for 5 s.
///
/// An opening also counts as failed if the channel closes before its first verified reply.
package struct FruitlessOpens: Sendable {
    /// The times of the failed openings of the last 10 s.
    private var times: [Duration] = []
    private var end: Duration?

    private static let limit = 3
    private static let period = Duration.seconds(10)
    private static let pause = Duration.seconds(5)

    package init() {}

    /// Whether no channel may be opened now.
    ///
    /// - Parameter now: The time of the same `Uptime` in all calls.
    package func isFault(at now: Duration) -> Bool {
        guard let end else { return false }
        return now < end
    }

    /// Counts an opening that failed.
    package mutating func countFruitless(at now: Duration) {
        times.removeAll { now - $0 > FruitlessOpens.period }
        times.append(now)
        guard times.count > FruitlessOpens.limit else { return }
        end = now + FruitlessOpens.pause
        times = []
    }

    /// Counts an opening that led to a verified reply: those before it do not count any more.
    package mutating func countFruitful() {
        times = []
        end = nil
    }
}
