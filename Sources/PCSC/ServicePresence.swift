// SPDX-License-Identifier: Apache-2.0
import Locking

/// A client of the smart card service that asks it for nothing.
///
/// A service that is started on demand ends a minute after its last client has (`pcscd --auto-exit`), and its virtual
/// readers with it. A program that sits in such a reader is no client by that.
package final class ServicePresence: Sendable {
    private let context = Lock<PCSCContext?>(nil)

    package init() {}

    /// Is a client from now on, for as long as this object lives or the service runs. A service that can be started on
    /// demand is started. Without one, and with one that lets this user not in, nothing happens.
    package func keep() {
        context.withLock { context in
            if let present = context, (try? present.readerNames()) != nil { return }
            // One that the service has forgotten goes before another comes.
            context = nil
            context = try? PCSCContext()
        }
    }
}
