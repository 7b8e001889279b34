// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import Logging
import Synchronization

/// How a library uses the process's libcrypto.
final class LibcryptoUse: Sendable {
    private let isLogged = Atomic(false)

    /// Has libcrypto read the process's configuration before a lock is taken, and logs once which one is used, or why none is.
    ///
    /// - Throws: ``TokensError/noMemory`` if there are neither descriptors nor memory to load it by.
    func prepare(_ log: Logger) throws(TokensError) {
        guard LibraryContext.prepare() else { throw .noMemory }
        guard !isLogged.load(ordering: .relaxed), !isLogged.exchange(true, ordering: .relaxed) else { return }
        let presence = LibraryContext.presence
        switch presence {
        case .version(let number): log.notice("libcrypto.so.\(number) is used")
        case .absent, .incomplete, .rootChanged: log.warning("\(Reason(presence) ?? "")")
        }
    }
}
