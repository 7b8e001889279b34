// SPDX-License-Identifier: Apache-2.0
import Locking
import Translation

/// Attempts to reach the far reader: their pauses, and their reports.
///
/// A tunnel takes connections for a reader that is not there. So the reader is reached once it has asked for something.
struct Attempts {
    /// The pauses grow from the first to the last.
    private static let pauses = (first: Duration.milliseconds(250), last: Duration.seconds(8))

    private var pause = pauses.first
    private var isConnected = false
    private var isTold = false
    /// When the reader was last there, or the attempts began.
    private var lastSuccess: Duration

    init(_ now: Duration) { lastSuccess = now }

    /// The reader has asked for something.
    mutating func succeed(_ work: ShareWork) {
        lastSuccess = work.clocks.awake.now
        guard !isConnected else { return }
        isConnected = true
        isTold = false
        pause = Self.pauses.first
        work.report(.connected(to: work.settings.farReader))
    }

    /// The reader is gone, or was not reached: that is reported once. The next attempt comes after a pause.
    mutating func note(_ reason: Phrase, _ work: ShareWork) throws(ShareError) {
        if isConnected || !isTold { work.report(.disconnected(from: work.settings.farReader, reason: reason)) }
        isTold = true
        guard !isConnected else {
            isConnected = false
            return
        }
        if let patience = work.settings.patience, work.clocks.awake.now - lastSuccess >= patience {
            throw .unreachable("\(work.settings.farReader): \(reason)")
        }
        work.wait(pause)
        pause = min(pause * 2, Self.pauses.last)
    }
}
