// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Locking

/// The host's record of a token that it is paired with (GSC/1, 9).
package struct PairingRecord: Sendable, Equatable {
    package let profile: Profile
    /// E1 with which the last channel was opened.
    package internal(set) var capabilities: Capabilities
    /// T_pub, the token's long-term public key: X ‖ Y, 64 bytes, little-endian.
    package let tokenKey: [UInt8]
    /// ID_H, under which the token knows this host: 8 bytes.
    package let hostID: [UInt8]
    /// The number of the token's record.
    package let index: UInt8
    /// When host and token were paired, in seconds since 1970.
    package let created: Int64

    /// The beginning of every encoded record. The last byte is the version of the format.
    private static let magic: [UInt8] = Array("Kanal pairing".utf8) + [1]

    package init(
        profile: Profile, capabilities: Capabilities, tokenKey: [UInt8], hostID: [UInt8], index: UInt8, created: Int64
    ) {
        self.profile = profile
        self.capabilities = capabilities
        self.tokenKey = tokenKey
        self.hostID = hostID
        self.index = index
        self.created = created
    }

    /// The record as it is stored: the fields as data objects, then the Streebog-256 of all before.
    var encoded: [UInt8] {
        var bytes = PairingRecord.magic
        bytes.appendObject(0x80, [profile.rawValue])
        bytes.appendObject(0x81, hostID)
        bytes.appendObject(0x82, tokenKey)
        bytes.appendObject(0x85, [index])
        bytes.appendTime(0x86, created)
        bytes.append(contentsOf: capabilities.bytes)
        return bytes + Streebog256.hash(bytes)
    }

    /// Reads a stored record; nil if it is truncated, changed, or of a different version.
    init?(parsing bytes: [UInt8]) {
        let content = Array(bytes.dropLast(Streebog256.digestSize))
        guard bytes.count > Streebog256.digestSize, Streebog256.hash(content) == bytes.suffix(Streebog256.digestSize)
        else { return nil }
        guard let record = try? PairingRecord(content: content) else { return nil }
        self = record
    }

    private init(content: [UInt8]) throws {
        var cursor = ByteCursor(content)
        guard try cursor.bytes(PairingRecord.magic.count) == PairingRecord.magic,
            let profile = Profile(rawValue: try cursor.number(0x80, in: 1...2))
        else { throw MalformedBytes() }
        self.profile = profile
        hostID = try cursor.object(0x81, length: 8)
        tokenKey = try cursor.object(0x82, length: 64)
        index = try cursor.number(0x85, in: 1...0xFF)
        created = try cursor.time(0x86)
        capabilities = try Capabilities(parsing: cursor.rest())
    }
}

extension Response {
    /// Reads the objects within 7C, of which the data consist. All of them must be read.
    func template<Value>(
        _ read: (inout ByteCursor) throws(MalformedBytes) -> Value
    ) throws(ChannelError) -> Value {
        try parsing { () throws(MalformedBytes) in
            var outer = ByteCursor(data)
            var inner = ByteCursor(try outer.object(0x7C))
            try outer.finish()
            let value = try read(&inner)
            try inner.finish()
            return value
        }
    }
}
