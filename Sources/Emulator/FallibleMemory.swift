// SPDX-License-Identifier: Apache-2.0
import Locking
package import Secrets
import Storage

/// A memory whose writes fail from a certain one on, as if the power were cut: they do not happen, and `failed` is
/// called, which may end the process.
package final class FallibleMemory: CardMemory {
    private let memory: any CardMemory
    private let failed: @Sendable (_ write: Int) -> Void
    private let counter = Lock((writes: 0, limit: Int.max))

    /// - Parameter failed: Takes the number of a write that fails.
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
