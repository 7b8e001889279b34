// SPDX-License-Identifier: Apache-2.0

import APDU
import CPCSC
import Glibc
import HostProcess
import Locking

/// A client of the smart card service that asks it for nothing.
///
/// A service that is started on demand ends a minute after its last client has (`pcscd --auto-exit`), and its virtual
/// readers with it. A program that drives such a reader does not count as a client.
///
/// The client is a mere connection, for whose answer nothing waits: a service that starts answers no client before it has
/// found the cards in its readers, and so waits for the program that would wait for it.
package final class ServicePresence: Sendable {
    private let connection = Lock<Int32>(-1)

    package init() {}

    deinit { connection.withLock { if $0 >= 0 { close($0) } } }

    /// Becomes a client, for as long as this object lives or the service runs. A service that can be started on demand
    /// is started. Has no effect without a service, or if the service refuses this user.
    ///
    /// - Returns: Whether there is a service.
    @discardableResult
    package func keep() -> Bool {
        connection.withLock { connection in
            if connection >= 0 {
                var byte: UInt8 = 0
                // The end of the connection can be read.
                let count = unsafe recv(connection, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
                if count > 0 || count < 0 && errno == EAGAIN { return true }
                close(connection)
            }
            connection = ServiceSocket.connected(to: ServiceSocket.path)
            return connection >= 0
        }
    }
}
