// SPDX-License-Identifier: Apache-2.0

import Cryptoki
import HostProcess
import Locking

/// The library in this process: none before `C_Initialize`, and none again in a forked child.
final class Process: Sendable {
    private let mark = ForkMark()
    private let library = Lock<Initialised?>(nil)
    /// The messages to the administrator.
    let administratorLog = AdministratorLog(program: HostNames.program())

    /// The result of `C_Initialize`.
    struct Initialised {
        let library: Library
        /// Held during each call, where the application locks with functions of its own.
        let mutex: ApplicationMutex?
    }

    /// The present process's. A forked child finds the parent's here, and never uses it: its connections belong to the
    /// parent, and its locks may be held by threads that the child does not have.
    static var current: Process {
        if unsafe instance.mark.isOwn { return unsafe instance }
        return replacement.withLock { _ in
            if unsafe !instance.mark.isOwn {
                unsafe _ = Unmanaged.passRetained(instance)
                unsafe instance = Process()
            }
            return unsafe instance
        }
    }

    nonisolated(unsafe) private static var instance = Process()
    private static let replacement = Lock<Void>(())

    /// - Throws: `CKR_CRYPTOKI_NOT_INITIALIZED`.
    func initialised() throws(CKError) -> Initialised {
        guard let initialised = library.withLock({ $0 }) else { throw .notInitialised }
        return initialised
    }

    /// - Throws: `CKR_CRYPTOKI_ALREADY_INITIALIZED`; the errors of `make` and `makeMutex`.
    func initialise(
        _ make: (ApplicationMutex?) throws(CKError) -> Library, mutex makeMutex: () throws(CKError) -> ApplicationMutex?
    ) throws(CKError) {
        try library.withLock { library throws(CKError) in
            guard library == nil else { throw .alreadyInitialised }
            let mutex = try makeMutex()
            library = try Initialised(library: make(mutex), mutex: mutex)
        }
    }

    /// Withdraws the library from further calls, and ends it.
    ///
    /// - Throws: `CKR_CRYPTOKI_NOT_INITIALIZED`.
    func finalise() throws(CKError) {
        let mutex = try initialised().mutex
        try mutex?.lock()
        defer { mutex?.unlock() }
        guard let ended = library.withLock({ $0.take() }) else { throw .notInitialised }
        ended.library.finalize()
    }
}
