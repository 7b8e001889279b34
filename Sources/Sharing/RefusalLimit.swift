// SPDX-License-Identifier: Apache-2.0

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

    /// The events to tell in place of this one.
    package mutating func take(_ event: ShareEvent, at now: Duration) -> [ShareEvent] {
        var events: [ShareEvent] = []
        if event == .state(.completed) || begin.map({ now - $0 >= Self.interval }) ?? false {
            if left > 0 { events.append(.furtherRefusals(left)) }
            (begin, told, left) = (nil, 0, 0)
        }
        guard event.isRefusal else { return events + [event] }
        begin = begin ?? now
        guard told < Self.most else {
            left += 1
            return events
        }
        told += 1
        return events + [event]
    }
}

extension ShareEvent {
    fileprivate var isRefusal: Bool {
        switch self {
        case .refusedPlain, .refused, .declined: true
        default: false
        }
    }
}
