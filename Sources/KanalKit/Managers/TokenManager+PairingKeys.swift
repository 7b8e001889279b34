// SPDX-License-Identifier: Apache-2.0

import Secrets
import SecureChannel
import Storage
import Token
import Translation

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

    /// Imports the key from another machine, and makes the directory if it is missing.
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
