// SPDX-License-Identifier: Apache-2.0

import Locking
package import Secrets
package import Storage

/// Memory in which a card's state survives the loss of power.
package protocol CardMemory: AnyObject, Sendable {
    /// The last state that was written; nil if the memory is new.
    func load() throws(EmulatorError) -> Secret?

    /// Replaces the state as a whole. On return it is safe; if this throws, the memory holds the old state or the new.
    func save(_ state: borrowing Secret) throws(EmulatorError)
}

/// A memory in a file of a private directory, replaced atomically: a process killed at any point leaves the old state
/// or the new.
package final class DirectoryMemory: CardMemory {
    private static let name = "card"
    /// More than any state occupies.
    private static let limit = 1 << 20

    private let directory: Directory

    package init(_ directory: Directory) { self.directory = directory }

    package func load() throws(EmulatorError) -> Secret? {
        do throws(StorageError) {
            return try directory.readSecret(DirectoryMemory.name, limit: DirectoryMemory.limit)
        } catch .tooLarge {
            throw .stateCorrupt
        } catch {
            throw .storage(error)
        }
    }

    package func save(_ state: borrowing Secret) throws(EmulatorError) {
        do throws(StorageError) {
            try directory.write(DirectoryMemory.name, state.bytes)
        } catch {
            throw .storage(error)
        }
    }
}

/// A memory whose writes fail from a certain one on, as if the power were cut: they do not happen, and `failed` is
/// called, which may end the process.
package final class FallibleMemory: CardMemory {
    private let memory: any CardMemory
    private let failed: @Sendable (_ write: Int) -> Void
    private let counter = Lock((writes: 0, limit: Int.max))

    /// - Parameter failed: Receives the number of a write that fails.
    package init(_ memory: any CardMemory, failed: @escaping @Sendable (_ write: Int) -> Void = { _ in }) {
        self.memory = memory
        self.failed = failed
    }

    /// Restarts the count of writes. The one with this number is the first that fails; the next one has the number 1.
    package func fail(at write: Int) { counter.withLock { $0 = (0, write) } }

    /// The writes since the last call of ``fail(at:)``, failed ones included.
    package var writes: Int { counter.withLock { $0.writes } }

    package func load() throws(EmulatorError) -> Secret? { try memory.load() }

    package func save(_ state: borrowing Secret) throws(EmulatorError) {
        let (number, limit) = counter.withLock { counter in
            counter.writes += 1
            return counter
        }
        guard number < limit else {
            failed(number)
            throw .storage(.system(errno: 5))
        }
        try memory.save(state)
    }
}
