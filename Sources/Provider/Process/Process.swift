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
    private struct Initialised {
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

    /// Runs `body` with the library.
    ///
    /// - Parameter isAlone: Whether an application that locks with functions of its own shall see one call at a time.
    /// - Throws: `CKR_CRYPTOKI_NOT_INITIALIZED`; whatever `body` throws.
    func withLibrary(isAlone: Bool, _ body: (Library) throws(CKError) -> Void) throws(CKError) {
        guard let initialised = library.withLock({ $0 }) else { throw .notInitialised }
        guard isAlone, let mutex = initialised.mutex else { return try body(initialised.library) }
        try mutex.withLock { () throws(CKError) in try body(initialised.library) }
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
        try withLibrary(isAlone: true) { _ throws(CKError) in
            guard let ended = library.withLock({ $0.take() }) else { throw .notInitialised }
            ended.library.finalize()
        }
    }
}
