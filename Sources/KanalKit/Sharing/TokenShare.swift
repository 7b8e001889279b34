// SPDX-License-Identifier: Apache-2.0
package import APDU
package import Locking
import Secrets
import Storage
import TokenEnd
import VirtualReaders

/// Puts a token of this machine into a virtual reader of another one, until it is cancelled.
///
/// One thread does it: `run()`.
package final class TokenShare: Sendable {
    private let settings: Share.Settings
    private let directory: String
    private let readers: any OwnedCardService
    private let clocks: Clocks
    private let ask: @Sendable (ShareQuestion) -> Bool
    private let report: @Sendable (Share.Event) -> Void
    /// Reports what was only counted until now.
    private let flush: @Sendable () -> Void
    private let isCancelled = Lock(false)
    private let isOver: @Sendable () -> Bool

    /// - Parameters:
    ///   - directory: The directory of all shares of this user.
    ///   - isOver: Whether no token can come any more.
    ///   - ask: Asks the user of this machine, in the thread of ``run()``.
    ///   - report: Receives events, in the same thread.
    package init(
        _ settings: Share.Settings, directory: String, readers: any OwnedCardService, clocks: Clocks = .system,
        isOver: @escaping @Sendable () -> Bool = { false },
        ask: @escaping @Sendable (ShareQuestion) -> Bool = { _ in false },
        report: @escaping @Sendable (Share.Event) -> Void
    ) {
        (self.settings, self.directory) = (settings, directory)
        self.readers = readers
        self.clocks = clocks
        self.isOver = isOver
        self.ask = ask
        let limit = Lock(RefusalLimit())
        self.report = { event in
            for event in limit.withLock({ $0.take(event, at: clocks.awake.now) }) { report(event) }
        }
        flush = { for event in limit.withLock({ $0.flush() }) { report(event) } }
    }

    /// Ends the share within a second. It does not cut a command short.
    package func cancel() { isCancelled.withLock { $0 = true } }

    package var wasCancelled: Bool { isCancelled.withLock { $0 } }

    /// Shares the token. It returns when the share is cancelled, or has served its purpose.
    package func run() throws(ShareError) {
        guard settings.tunnel != nil || VirtualReader.isAddress(settings.host) else { throw .invalidAddress }
        let work = ShareWork(
            settings, directory: directory, readers: readers, clocks: clocks, ask: ask, report: report,
            isCancelled: { [isCancelled, isOver] in isCancelled.withLock { $0 } || isOver() })
        do throws(ShareError) { try work.run() } catch {
            flush()
            guard wasCancelled else { throw error }
        }
        report(.state(wasCancelled || isOver() ? .cancelled : .completed))
    }
}
