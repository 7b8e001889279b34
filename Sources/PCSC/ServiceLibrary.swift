// SPDX-License-Identifier: Apache-2.0

import APDU
import CPCSC
import Glibc
import HostProcess
import Locking

/// libpcsclite, which is opened for the first context.
@safe
enum ServiceLibrary {
    private static let known = Lock<pcsc_functions?>(nil)

    /// The variables by which libpcsclite is led to another service, or to another library that replaces it. The others
    /// that it reads change what it prints and whether it waits.
    private static let redirections = ["PCSCLITE_CSOCK_NAME", "LIBPCSCLITE_DELEGATE"]

    /// Its functions, once they were opened.
    static var opened: pcsc_functions? { known.withLock { $0 } }

    /// Opens it, unless that was done.
    ///
    /// - Throws: `noLibrary` if it is missing, `noDescriptors` if it cannot be looked for. `redirected` in a process
    ///   that has more rights than its user, if the environment redirects it: libpcsclite would listen.
    static func open() throws(LinkError) -> pcsc_functions {
        if Environment.isPrivileged, redirections.contains(where: { unsafe getenv($0) != nil }) { throw .redirected }
        if let opened { return opened }
        guard ForkGate.enter(.brief) else { throw .refused }
        defer { ForkGate.leave(.brief) }
        let functions = StandardDescriptors.avoid(otherwise: nil) { () -> pcsc_functions? in
            known.withLock { known in
                if known == nil { unsafe known = pcsc_open()?.pointee }
                return known
            }
        }
        if let functions { return functions }
        throw StandardDescriptors.areUsedUp ? .noDescriptors : .noLibrary
    }
}
