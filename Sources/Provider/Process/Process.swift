import CCryptoki
import Cryptoki
import Locking

/// What this process has of the library: nothing before `C_Initialize`, and nothing again in a forked child.
final class Process: Sendable {
    private let mark = ForkMark()
    private let library = Lock<Initialised?>(nil)
    /// What the administrator is told.
    let administratorLog = AdministratorLog(program: programName())

    /// What `C_Initialize` has made.
    struct Initialised {
        let library: Library
        /// Held during each call, where the application locks with functions of its own.
        let mutex: ApplicationMutex?
    }

    /// The present process's. A child that `fork` made meets the parent's here and leaves it alone for good: the
    /// connections in it belong to the parent, and its locks may be held by threads that the child does not have.
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

    /// - Throws: `CKR_CRYPTOKI_ALREADY_INITIALIZED`; what `make` and `makeMutex` throw.
    func initialise(
        _ make: () throws(CKError) -> Library, mutex makeMutex: () throws(CKError) -> ApplicationMutex?
    ) throws(CKError) {
        try library.withLock { library throws(CKError) in
            guard library == nil else { throw .alreadyInitialised }
            let mutex = try makeMutex()
            library = try Initialised(library: make(), mutex: mutex)
        }
    }

    /// Takes the library away from further calls, and ends it.
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
