// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Locking
import SecureChannel
import Token

/// A token that this user is paired with on this machine.
public struct PairedToken: Sendable, Equatable {
    /// Eight bytes, big-endian.
    public let serialNumber: [UInt8]
    /// The token's name when it was last used; empty if it is not known.
    public let label: String
    /// When both were paired, in seconds since 1970.
    public let created: Int64
    /// When a channel was last opened, to the day, in seconds since 1970; nil if it is not known.
    public let lastUsed: Int64?
}

/// A host that may open a channel to a token.
public struct KnownHost: Sendable, Equatable {
    /// The host's name for itself.
    public let label: String
    /// Whether it has opened a channel since it was paired.
    public let isActive: Bool
    /// Whether it is this host.
    public let isSelf: Bool
    /// The protection that its channels have.
    public let profile: ChannelDetails.Profile
    /// Its place in the token's list.
    public var slot: Int { Int(id.index) }
    let id: PairedHost.ID
}

extension TokenManager {
    /// The tokens that this user is paired with on this machine, the youngest pairing first. No token need be there.
    public func pairedTokens() async throws(KanalError) -> [PairedToken] {
        try await working(on: worker) { [service] () throws(KanalError) in
            try translated { () throws(CKError) in try service.library.pairedTokens() }.map { token in
                PairedToken(
                    serialNumber: token.serial, label: token.label, created: token.created, lastUsed: token.lastUsed)
            }
        }
    }

    /// Forgets a token on this machine: the next use needs an activation. The token itself does not notice.
    ///
    /// - Throws: ``KanalError/objectNotFound`` if the pairing does not exist.
    public func removePairing(_ token: PairedToken) async throws(KanalError) {
        try await working(on: worker) { [service] () throws(KanalError) in
            try translated { () throws(CKError) in
                try service.library.removePairings(withToken: token.serialNumber)
            }
        }
    }
}

extension Session {
    /// The hosts that may open a channel to the token, by the token's own list.
    public func pairedHosts() throws(KanalError) -> [KnownHost] {
        return try translated { () throws(CKError) in try library.pairedHosts(in: slot) }.map { host in
            KnownHost(
                label: host.label, isActive: host.isActive, isSelf: host.isSelf,
                profile: ChannelDetails.Profile(host.profile),
                id: PairedHost.ID(index: host.index, profile: host.profile, hostID: host.hostID))
        }
    }

    /// Has the token forget a host. This host's own pairing is removed on both sides, and the session ends. Removing
    /// another host needs the security officer's login.
    public func unpair(_ host: KnownHost) throws(KanalError) {
        try call { session throws(CKError) in try session.removePairedHost(host.id) }
    }
}
