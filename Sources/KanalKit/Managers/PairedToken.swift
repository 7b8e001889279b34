// SPDX-License-Identifier: Apache-2.0

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
