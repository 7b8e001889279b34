// SPDX-License-Identifier: Apache-2.0
import CHostProcess
import Glibc
import Locking

/// Writes a new file in a thread of its own, while its caller computes the next bytes. The system flushes them
/// early, so that fsync(2) has little left to do, and keeps none but the last of a long file in memory, so that it
/// has room there for other files, and needs no new room for this one.
///
/// The caller itself writes a short file, and any file if the system cannot create a thread.
package final class BackgroundWriter: Sendable {
    private struct State {
        /// Short pieces, which are written as one.
        var gathered: [UInt8] = []
        /// The pieces that the thread has to write.
        var waiting: [[UInt8]] = []
        var isEnding = false
        var hasThread = false
        var failure: SystemError?
        /// The number of bytes that are in the file, and of those that the system was asked to bring to the disk.
        var written = 0, begun = 0
    }

    /// The bytes of a piece that is written by itself, and the number of pieces that may wait.
    private static let pieceSize = 1 << 18, limit = 8
    /// The bytes that are brought to the disk together.
    private static let stretch = 8 << 20

    private let descriptor: Int32
    private let monitor = Monitor()
    /// Reached within the monitor.
    private let state = Lock(State())

    /// - Parameter descriptor: A regular file that is empty. It stays open until ``finish()`` or ``discard()`` has returned.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Accepts the next bytes.
    ///
    /// - Throws: ``SystemError`` if these or earlier ones cannot be written.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        let isLong = bytes.count >= Self.pieceSize
        let gathered = state.withLock { state -> [UInt8] in
            if !isLong { state.gathered += bytes }
            guard isLong || state.gathered.count >= Self.pieceSize else { return [] }
            defer { state.gathered = [] }
            return state.gathered
        }
        if !gathered.isEmpty { try hand(gathered) }
        if isLong { try hand(bytes) }
    }

    /// Hands a piece to the thread, as soon as there is room.
    private func hand(_ piece: [UInt8]) throws(SystemError) {
        monitor.enter()
        defer { monitor.leave() }
        guard startThread() else { return try put(piece) }
        while state.withLock({ $0.waiting.count >= Self.limit && $0.failure == nil }) { monitor.wait() }
        if let failure = state.withLock({ $0.failure }) { throw failure }
        state.withLock { $0.waiting.append(piece) }
        monitor.tellOfChange()
    }

    /// - Returns: Whether there is a thread.
    private func startThread() -> Bool {
        guard !state.withLock({ $0.hasThread }) else { return true }
        let isStarted = BlockingThread.start { [self] in work() }
        state.withLock { $0.hasThread = isStarted }
        return isStarted
    }

    private func work() {
        monitor.enter()
        defer { monitor.leave() }
        while true {
            while state.withLock({ $0.waiting.isEmpty && !$0.isEnding }) { monitor.wait() }
            guard let piece = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) else { break }
            monitor.tellOfChange()
            do throws(SystemError) {
                try monitor.outside { () throws(SystemError) in try put(piece) }
            } catch {
                state.withLock { ($0.failure, $0.waiting) = (error, []) }
                monitor.tellOfChange()
            }
        }
        state.withLock { $0.hasThread = false }
        monitor.tellOfChange()
    }

    /// Writes a piece.
    private func put(_ piece: [UInt8]) throws(SystemError) {
        try OutputStream(descriptor: descriptor).write(piece)
        let (begun, written) = state.withLock { state in
            state.written += piece.count
            return (state.begun, state.written)
        }
        guard written - begun >= Self.stretch else { return }
        state.withLock { $0.begun = written }
        // A file system without these calls writes everything at the end. Neither hides an error from fsync(2), and
        // bytes that are not on the disk yet stay in memory.
        _ = sync_file_range(descriptor, begun, written - begun, sync_file_range_write)
        if begun > Self.stretch { posix_fadvise(descriptor, 0, begun - Self.stretch, POSIX_FADV_DONTNEED) }
    }

    /// Waits until all is in the file.
    ///
    /// - Throws: ``SystemError`` if it cannot be written.
    package func finish() throws(SystemError) {
        end()
        let (rest, failure) = state.withLock { state in
            defer { state.gathered = [] }
            return (state.gathered, state.failure)
        }
        if let failure { throw failure }
        if !rest.isEmpty { try put(rest) }
    }

    /// Writes no more than what is being written.
    package func discard() {
        state.withLock { ($0.waiting, $0.gathered) = ([], []) }
        end()
    }

    /// Waits for the thread's end.
    private func end() {
        monitor.enter()
        defer { monitor.leave() }
        state.withLock { $0.isEnding = true }
        monitor.tellOfChange()
        while state.withLock({ $0.hasThread }) { monitor.wait() }
    }
}
