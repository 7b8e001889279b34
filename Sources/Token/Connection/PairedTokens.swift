// SPDX-License-Identifier: Apache-2.0

import SecureChannel

/// The machine's side of pairings. It needs no token, and notifies none.
extension TokenSettings {
    /// The tokens that the user is paired with, the youngest pairing first. A synchronised store can have several pairings
    /// with one token, by different host keys.
    package func pairedTokens() throws(TokenError) -> [PairedToken] {
        guard let store = try pairingStore() else { return [] }
        do throws(ChannelError) { return try store.records().map(PairedToken.init) } catch {
            throw storageFailure(error)
        }
    }

    /// Forgets a token, in whatever profiles and by whatever host keys it was paired: it must be activated again. The
    /// token still knows this host. Its open channel stays open until it ends.
    ///
    /// - Parameter serial: 8 bytes.
    /// - Throws: ``TokenError/notFound`` if there is nothing of such a token, sound or damaged.
    package func removePairings(withToken serial: [UInt8]) throws(TokenError) {
        guard let store = try pairingStore() else { throw .notFound }
        let wasKnown: Bool
        do throws(ChannelError) { wasKnown = try store.remove(serial: serial) } catch { throw storageFailure(error) }
        guard wasKnown else { throw .notFound }
    }
}
