// SPDX-License-Identifier: Apache-2.0

import Locking
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

/// The tokens that are known to have no channel, so that each is asked only once (GSC/1, 4).
package final class PlainTokens: Sendable {
    private struct Token: Equatable {
        let atr: [UInt8]
        let serial: [UInt8]
    }

    private let tokens = Lock<[Token]>([])

    init() {}

    func insert(atr: [UInt8], serial: [UInt8]) {
        let token = Token(atr: atr, serial: serial)
        tokens.withLock { tokens in
            if !tokens.contains(token) { tokens.append(token) }
        }
    }

    func contains(atr: [UInt8], serial: [UInt8]) -> Bool {
        tokens.withLock { $0.contains(Token(atr: atr, serial: serial)) }
    }

    /// Whether a token with this answer to reset is among them.
    func contains(atr: [UInt8]) -> Bool { tokens.withLock { tokens in tokens.contains { $0.atr == atr } } }
}

/// This process's knowledge of tokens, one value each, kept across connections.
final class TokenMemory<Value: Sendable>: Sendable {
    private struct Entry {
        let serial: [UInt8]
        /// A value that was read outside a channel is not given out as one from a channel.
        let isProtected: Bool
        let value: Value
    }

    /// The newest is last.
    private let entries = Lock<[Entry]>([])

    /// The number of tokens that are remembered.
    private var limit: Int { 16 }

    func keep(_ value: Value, serial: [UInt8], isProtected: Bool) {
        entries.withLock { entries in
            entries.removeAll { $0.serial == serial && $0.isProtected == isProtected }
            if entries.count >= limit { entries.removeFirst() }
            entries.append(Entry(serial: serial, isProtected: isProtected, value: value))
        }
    }

    func value(serial: [UInt8], isProtected: Bool) -> Value? {
        entries.withLock { entries in
            entries.first { $0.serial == serial && $0.isProtected == isProtected }?.value
        }
    }
}
