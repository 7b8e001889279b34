// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import Glibc
import HostProcess
import KanalKit
import Locking
import Translation

/// Functions of the user's desktop.
package struct Desktop: Sendable {
    /// Whether an application handles addresses of a scheme. It may take a while.
    package var handles: @Sendable (_ scheme: String) -> Result<Bool, AuthorizationError>
    /// Has an address opened, and reports later whether that was possible.
    package var open: Open

    /// - Parameters:
    ///   - address: The address to open.
    ///   - told: Called once.
    package typealias Open = @Sendable (_ address: String, _ told: @escaping Told) -> Result<Void, AuthorizationError>
    package typealias Told = @Sendable (_ isOpened: Bool) -> Void

    package init(
        handles: @escaping @Sendable (_ scheme: String) -> Result<Bool, AuthorizationError>, open: @escaping Open
    ) {
        (self.handles, self.open) = (handles, open)
    }

    /// The desktop as the programs of xdg-utils know it. `xdg-open` may run for as long as the application that it has
    /// started, so only a thread waits for its end.
    static let system = Desktop(
        handles: { scheme in
            Result { () throws(AuthorizationError) in
                try Program.tells("xdg-mime", ["query", "default", "x-scheme-handler/\(scheme)"])
            }
        },
        open: { address, told in
            Result { () throws(AuthorizationError) in
                let program = try Program("xdg-open", [address])
                guard BlockingThread.start({ told(program.wait()) }) else {
                    throw .failed(.system("the system creates no more threads"))
                }
            }
        })

    /// Whether an application handles addresses of a scheme.
    func handles(_ scheme: String) async throws(AuthorizationError) -> Bool {
        let handles = handles
        let (stream, continuation) = AsyncStream.makeStream(of: Result<Bool, AuthorizationError>.self)
        guard BlockingThread.start({ continuation.yield(handles(scheme)) }) else {
            throw .failed(.system("the system creates no more threads"))
        }
        for await result in stream { return try result.get() }
        throw .cancelled
    }
}
