import CCryptoki
import Cryptoki
import Glibc
import Locking

/// What this process has of the library: nothing before `C_Initialize`, and nothing again in a forked child.
final class Process: Sendable {
    private let id = getpid()
    private let library = Lock<Library?>(nil)

    /// The present process's. A child that `fork` made meets the parent's here and leaves it alone for good: the
    /// connections in it belong to the parent, and its locks may be held by threads that the child does not have.
    static var current: Process {
        if unsafe instance.id == getpid() { return unsafe instance }
        return replacement.withLock { _ in
            if unsafe instance.id != getpid() {
                unsafe _ = Unmanaged.passRetained(instance)
                unsafe instance = Process()
            }
            return unsafe instance
        }
    }

    nonisolated(unsafe) private static var instance = Process()
    private static let replacement = Lock<Void>(())

    /// - Throws: `CKR_CRYPTOKI_NOT_INITIALIZED`.
    func initialised() throws(CKError) -> Library {
        guard let library = library.withLock({ $0 }) else { throw .notInitialised }
        return library
    }

    /// - Throws: `CKR_CRYPTOKI_ALREADY_INITIALIZED`.
    func initialise(_ make: () -> Library) throws(CKError) {
        try library.withLock { library throws(CKError) in
            guard library == nil else { throw .alreadyInitialised }
            library = make()
        }
    }

    /// Takes the library away from further calls.
    ///
    /// - Throws: `CKR_CRYPTOKI_NOT_INITIALIZED`.
    func finalise() throws(CKError) -> Library {
        guard let ended = library.withLock({ $0.take() }) else { throw .notInitialised }
        return ended
    }
}
