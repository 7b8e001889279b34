import Locking
public import Secrets

/// A memory that lasts as long as the process.
public final class VolatileMemory: CardMemory {
    private let content: Lock<Secret?>

    public init() { content = Lock(nil) }

    public func load() throws(EmulatorError) -> Secret? {
        content.withLock { content in
            switch content {
            case .some(let state): state.copy()
            case .none: nil
            }
        }
    }

    public func save(_ state: borrowing Secret) throws(EmulatorError) {
        content.withLock { content in content = state.copy() }
    }
}
