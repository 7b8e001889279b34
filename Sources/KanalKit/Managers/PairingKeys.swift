// SPDX-License-Identifier: Apache-2.0

import Secrets
import SecureChannel
import Storage
import Token
package import Translation

/// The key of the pairings that the machines of a user share by a replicated directory: `synchronised` of `kanal.conf`.
/// It does not travel with the directory.
extension TokenManager {
    /// Makes the key on the first of several machines, and the directory, if they are missing; the first activation does
    /// so, too. The other machines get it by ``joinPairings(_:)``, before a token is activated there.
    ///
    /// - Throws: ``PairingKeyError``.
    public func makePairingKey() async throws(PairingKeyError) {
        try await withPairingKey(create: true) { key throws(PairingKey.Failure) in try key.make() }
    }

    /// The key, to be brought to another machine. With it and the directory all pairings can be used, those to come, too.
    ///
    /// - Throws: ``PairingKeyError``.
    public func pairingKey() async throws(PairingKeyError) -> SharedKey {
        SharedKey(
            try await withPairingKey(create: false) { key throws(PairingKey.Failure) in SharedSecret(try key.text()) })
    }

    /// Takes over the key from another machine, and makes the directory if it is missing.
    ///
    /// - Throws: ``PairingKeyError/keyMalformed`` if it is mistyped or the key of something else;
    ///   ``PairingKeyError/otherKey`` if this machine has pairings under a key of its own; ``PairingKeyError``.
    public func joinPairings(_ key: borrowing SharedKey) async throws(PairingKeyError) {
        let text = SharedSecret(key.secret.copy())
        try await withPairingKey(create: true) { key throws(PairingKey.Failure) in try key.join(text.secret) }
    }

    private func withPairingKey<Result: Sendable>(
        create: Bool, _ body: @escaping @Sendable (PairingKey) throws(PairingKey.Failure) -> Result
    ) async throws(PairingKeyError) -> Result {
        do {
            return try await worker.run(cancellation: .asks({})) { [settings = service.settings] in
                do throws(PairingKey.Failure) {
                    let key = try PairingKey(
                        of: settings.pairings, create: create, random: settings.random,
                        patience: settings.storePatience)
                    return try body(key)
                } catch {
                    throw PairingKeyError(error)
                }
            }
        } catch let error as PairingKeyError {
            throw error
        } catch {
            // A worker throws nothing else.
            throw .cancelled
        }
    }
}

/// Why the key of synchronised pairings could not be shown or taken over. ``description`` never has it in it.
public enum PairingKeyError: Error, Sendable, Equatable {
    /// `kanal.conf` has no `synchronised` for this program, so that its pairings have no such key.
    case notSynchronised
    /// This machine has no key: ``TokenManager/makePairingKey()`` on the first, ``TokenManager/joinPairings(_:)`` on all
    /// others.
    case noKey
    /// The key's file is damaged. ``TokenManager/joinPairings(_:)`` puts another machine's in its place.
    case keyDamaged
    /// This machine has pairings under another key than the one that it is to take over.
    case otherKey
    /// The text is not a key of pairings.
    case keyMalformed
    /// The replicated directory is gone; it is not made again, since it may come back.
    case directoryMissing
    /// The pairings cannot be used, for this reason.
    case unusable(Explanation)
    /// The task was cancelled before the call began.
    case cancelled

    init(_ error: PairingKey.Failure) {
        self =
            switch error {
            case .notSynchronised: .notSynchronised
            case .noKey: .noKey
            case .keyDamaged: .keyDamaged
            case .otherKey: .otherKey
            case .keyMalformed: .keyMalformed
            case .store(.storage(.notFound)): .directoryMissing
            case .store(.storage(let error)): .unusable("\(error)")
            case .store(.randomUnavailable): .unusable("there are no random numbers")
            case .store: .unusable("a computation failed")
            }
    }
}

extension PairingKeyError: CustomStringConvertible {
    public var description: String { explanation.description }

    package var explanation: Phrase {
        switch self {
        case .notSynchronised: "pairings are not synchronised here: set synchronised in kanal.conf"
        case .noKey: "this machine has no key of the synchronised pairings: make it, or bring it from another machine"
        case .keyDamaged: "the key of the synchronised pairings is damaged: bring it from another machine"
        case .otherKey:
            """
            this machine has pairings under another key: remove them here first, with "kanal pairings remove", or bring \
            its key to the other machines
            """
        case .keyMalformed:
            "this is not a key of pairings: give the whole line that \"kanal pairings key\" shows on the other machine"
        case .directoryMissing: "the directory of the synchronised pairings is gone"
        case .unusable(let reason): "the pairings cannot be used: \(reason.phrase)"
        case .cancelled: "it was cancelled"
        }
    }
}
