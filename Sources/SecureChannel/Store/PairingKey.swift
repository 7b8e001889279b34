// SPDX-License-Identifier: Apache-2.0

package import Secrets
import Storage

/// The key of a synchronised store of pairings, on its way from one machine of the user to another.
package struct PairingKey {
    /// Why something was not done.
    package enum Failure: Error, Sendable, Equatable {
        /// The store is not a synchronised one: it has no such key.
        case notSynchronised
        /// This machine has no key of the store.
        case noKey
        /// The key's file is damaged.
        case keyDamaged
        /// This machine has a different key, and pairings under it.
        case otherKey
        /// The text is not a key of a store of pairings.
        case keyMalformed
        /// The store cannot be used.
        case store(ChannelError)
    }

    private static let label = "Kanal pairing key"

    private let files: SealedFiles
    private var directory: SealedDirectory { files.directory }

    /// Opens the store at `location`.
    ///
    /// - Parameters:
    ///   - create: Whether to make missing directories. A replicated directory that is gone after it was in use is never made.
    ///   - random: Source of the key.
    ///   - patience: The milliseconds to wait for a lock that another process holds.
    /// - Throws: `Failure.noKey` if the store does not exist and is not to be created.
    package init(
        of location: PairingStore.Location, create: Bool, random: any RandomSource,
        patience: Int = Directory.patience
    ) throws(Failure) {
        let path: String, local: String
        switch location {
        case .synchronised(let directory, local: let own): (path, local) = (directory, own)
        case .unusable(let error): throw .store(.storage(error))
        case .directory, .group, .nowhere: throw .notSynchronised
        }
        let directory: SealedDirectory?
        do throws(StorageError) {
            directory = try SealedDirectory.open(
                path, local: local, kind: .pairing, create: create, random: random, patience: patience)
        } catch {
            throw .store(.storage(error))
        }
        guard let directory else { throw .noKey }
        files = SealedFiles(directory: directory)
    }

    /// Makes the key, if this machine has none. A damaged one is not replaced: nothing else opens the pairings.
    package func make() throws(Failure) {
        do throws(Failure) { _ = try stored() } catch .noKey {
            try keeping { () throws(ChannelError) in try directory.makeKey() }
        }
    }

    /// The key as text, for another machine: ``KeyText`` with the label "Kanal pairing key".
    package func text() throws(Failure) -> Secret { KeyText.text(of: try stored(), label: Self.label, seed: []) }

    /// Imports the key from another machine, in whatever case and spacing. An existing key is replaced if this machine
    /// has no pairings under it, and kept beside the new one.
    package func join(_ text: borrowing Secret) throws(Failure) {
        guard let key = KeyText.key(in: text, label: Self.label, seed: []) else { throw .keyMalformed }
        try directory.local.withLock(failure: { .store(.storage($0)) }) { () throws(Failure) in
            let present = try keeping { () throws(ChannelError) in try directory.existingKey() }
            if let present {
                if constantTimeEqual(present.bytes, key.bytes) { return }
                let records = try keeping { () throws(ChannelError) in try files.records() }
                guard records.isEmpty else { throw .otherKey }
            }
            try keeping { () throws(ChannelError) in
                try directory.local.replaceUnusable(SealedDirectory.keyName, with: key)
            }
        }
    }

    private func stored() throws(Failure) -> Secret {
        if let key = try keeping({ () throws(ChannelError) in try directory.existingKey() }) { return key }
        let names = try keeping { () throws(ChannelError) in
            try storing { () throws(StorageError) in try directory.local.names() }
        }
        throw names.contains(SealedDirectory.keyName) ? .keyDamaged : .noKey
    }

    private func keeping<Value: ~Copyable>(_ body: () throws(ChannelError) -> Value) throws(Failure) -> Value {
        do throws(ChannelError) { return try body() } catch { throw .store(error) }
    }
}
