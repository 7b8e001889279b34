// SPDX-License-Identifier: Apache-2.0

import Locking
import Translation

/// Bounds the number of reported refusals: a far side that has not even paired can cause thousands in a second, which
/// would fill the share's log. The first of a minute are reported one by one, the others as their number.
package struct RefusalLimit {
    private static let most = 20
    private static let interval = Duration.seconds(60)

    /// When the minute began.
    private var begin: Duration?
    private var told = 0
    private var left = 0

    package init() {}

    /// The events to report in place of this one.
    package mutating func take(_ event: Share.Event, at now: Duration) -> [Share.Event] {
        let isEnd = event == .state(.completed) || event == .state(.cancelled)
        let events = isEnd || begin.map({ now - $0 >= Self.interval }) ?? false ? flush() : []
        guard event.isRefusal else { return events + [event] }
        begin = begin ?? now
        guard told < Self.most else {
            left += 1
            return events
        }
        told += 1
        return events + [event]
    }

    /// Ends the minute: the event of the refusals that were only counted, if there are any.
    package mutating func flush() -> [Share.Event] {
        defer { (begin, told, left) = (nil, 0, 0) }
        return left > 0 ? [.furtherRefusals(left)] : []
    }
}

extension Share.Event {
    fileprivate var isRefusal: Bool {
        switch self {
        case .refusedPlain, .refused, .declined: true
        default: false
        }
    }
}

/// Attempts to reach the far reader: their pauses, and their reports.
///
/// A tunnel accepts connections for a reader that is not there. So the reader is reached once it has asked for
/// something.
struct Attempts {
    /// The pauses grow from the first to the last.
    private static let pauses = (first: Duration.milliseconds(250), last: Duration.seconds(8))

    private var pause = pauses.first
    private var isConnected = false
    private var isTold = false
    /// When the reader was last there, or the attempts began.
    private var lastSuccess: Duration

    init(_ now: Duration) { lastSuccess = now }

    /// The token is there, after a wait for it.
    mutating func restart(at now: Duration) { lastSuccess = now }

    /// The reader has asked for something.
    mutating func succeed(_ work: ShareWork) {
        lastSuccess = work.clocks.awake.now
        guard !isConnected else { return }
        isConnected = true
        isTold = false
        pause = Self.pauses.first
        work.report(.connected(to: work.settings.remoteReader))
    }

    /// The reader is gone, or was not reached: that is reported once. The next attempt comes after a pause.
    mutating func note(_ reason: Phrase, _ work: ShareWork) throws(ShareError) {
        if isConnected || !isTold {
            work.report(.disconnected(from: work.settings.remoteReader, reason: Explanation(reason)))
        }
        isTold = true
        guard !isConnected else {
            isConnected = false
            lastSuccess = work.clocks.awake.now
            return
        }
        guard work.mayGoOn else { return }
        if let patience = work.settings.patience, work.clocks.awake.now - lastSuccess >= patience {
            throw .unreachable("\(work.settings.remoteReader): \(reason)")
        }
        work.wait(pause)
        pause = min(pause * 2, Self.pauses.last)
    }
}
