// SPDX-License-Identifier: Apache-2.0

import Locking
package import Secrets
import Storage

/// A memory that lasts as long as the process.
package final class VolatileMemory: CardMemory {
    private let content: Lock<Secret?>

    package init() { content = Lock(nil) }

    package func load() throws(EmulatorError) -> Secret? {
        content.withLock { content in
            switch content {
            case .some(let state): state.copy()
            case .none: nil
            }
        }
    }

    package func save(_ state: borrowing Secret) throws(EmulatorError) {
        content.withLock { content in content = state.copy() }
    }
}
