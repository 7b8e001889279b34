// SPDX-License-Identifier: Apache-2.0
import Locking

/// A client of the smart card service that asks it for nothing.
///
/// A service that is started on demand ends a minute after its last client has (`pcscd --auto-exit`), and its virtual
/// readers with it. A program that drives such a reader does not count as a client.
package final class ServicePresence: Sendable {
    private let context = Lock<PCSCContext?>(nil)

    package init() {}

    /// Becomes a client, for as long as this object lives or the service runs. A service that can be started on demand
    /// is started. Has no effect without a service, or with one that refuses this user.
    package func keep() {
        context.withLock { context in
            if let present = context, (try? present.readerNames()) != nil { return }
            // A connection that the service has forgotten is closed before the next one.
            context = nil
            context = try? PCSCContext()
        }
    }
}
