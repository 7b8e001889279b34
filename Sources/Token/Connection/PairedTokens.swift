// SPDX-License-Identifier: Apache-2.0
package import SecureChannel

/// A token that this user is paired with on this machine, as the store of pairings tells.
package struct PairedToken: Sendable, Equatable {
    /// The token's serial number, 8 bytes, big-endian.
    package let serial: [UInt8]
    package let profile: Profile
    /// ID_H, under which the token knows this host: 8 bytes.
    package let hostID: [UInt8]
    /// The token's label when it was last used; empty if it is not known.
    package let label: String
    /// When they were paired, in seconds since 1970.
    package let created: Int64
    /// When a channel was last opened, to the day, in seconds since 1970; nil if it is not known.
    package let lastUsed: Int64?
    /// Whether the store has a different key of the token than this user knows, so that it must be activated.
    package let isKeyChanged: Bool

    init(_ entry: PairingStore.Entry) {
        serial = entry.serial
        profile = entry.profile
        hostID = entry.record.hostID
        label = entry.label
        created = entry.created
        lastUsed = entry.lastUsed
        isKeyChanged = entry.isKeyChanged
    }
}

/// The machine's side of pairings. It needs no token, and tells none.
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
