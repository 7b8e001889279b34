// SPDX-License-Identifier: Apache-2.0
package import Secrets
package import Storage

/// A memory in a file of a private directory, replaced atomically: a process killed at any point leaves the old state
/// or the new.
package final class DirectoryMemory: CardMemory {
    private static let name = "card"
    /// More than any state takes.
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
