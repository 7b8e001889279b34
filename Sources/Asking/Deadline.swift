// SPDX-License-Identifier: Apache-2.0

import Locking
import Translation

/// An end of waiting, by a clock that cannot be set.
struct Deadline {
    private let end: Duration

    init(after duration: Duration) { end = Clocks.system.awake.now + duration }

    var isOver: Bool { milliseconds == 0 }

    /// The time left, for poll(2): rounded up, and 0 when it is over.
    var milliseconds: Int32 {
        let left = (end - Clocks.system.awake.now).components
        guard left.seconds >= 0, left.attoseconds >= 0 else { return 0 }
        return Int32(clamping: left.seconds * 1000 + (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
