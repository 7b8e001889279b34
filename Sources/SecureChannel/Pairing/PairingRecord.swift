// SPDX-License-Identifier: Apache-2.0

package import APDU
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

/// A host in the token's list of those it is paired with: E4 of LIST (GSC/1, 6).
package struct PairedHost: Sendable, Equatable {
    /// The identity of a host in the list. The token gives a number that is free again to the next host; number,
    /// profile and ID_H together never belong to a different host.
    package struct ID: Sendable, Hashable {
        package let index: UInt8
        package let profile: Profile
        package let hostID: [UInt8]

        package init(index: UInt8, profile: Profile, hostID: [UInt8]) {
            self.index = index
            self.profile = profile
            self.hostID = hostID
        }
    }

    /// The number of the token's record.
    package let index: UInt8
    /// Whether the host has opened a channel since it was paired.
    package let isActive: Bool
    package let profile: Profile
    /// ID_H, 8 bytes.
    package let hostID: [UInt8]
    /// The host's name.
    package let label: String
    /// Whether it is this host, in the profile of the channel.
    package let isSelf: Bool

    package var id: ID { ID(index: index, profile: profile, hostID: hostID) }

    /// Reads a sequence of E4.
    static func list(parsing bytes: [UInt8]) throws(MalformedBytes) -> [PairedHost] {
        var cursor = ByteCursor(bytes)
        var hosts: [PairedHost] = []
        while !cursor.isAtEnd { hosts.append(try PairedHost(parsing: cursor.object(0xE4))) }
        return hosts
    }

    private init(parsing bytes: [UInt8]) throws(MalformedBytes) {
        var cursor = ByteCursor(bytes)
        index = try cursor.number(0x80, in: 1...0xFF)
        isActive = try cursor.number(0x81, in: 0...1) == 1
        guard let profile = Profile(rawValue: try cursor.number(0x82, in: 1...2)) else { throw MalformedBytes() }
        self.profile = profile
        hostID = try cursor.object(0x83, length: 8)
        let text = try cursor.object(0x84)
        guard text.count <= 32 else { throw MalformedBytes() }
        label = String(decoding: text, as: UTF8.self)
        isSelf = try cursor.number(0x85, in: 0...1) == 1
        try cursor.finish()
    }
}

/// The link to a token while it is being paired: sends PAIR-1 and PAIR-2 (GSC/1, 8).
struct PairingLink {
    private let link: any CardConnection
    private let profile: Profile
    private let uptime: Uptime

    /// The token's time limit for answering PAIR-2 (15.2 e).
    private static let patience = Duration.seconds(10)

    init(_ link: any CardConnection, profile: Profile, uptime: Uptime) {
        self.link = link
        self.profile = profile
        self.uptime = uptime
    }

    /// Sends PAIR-1 and reads the token's public value of `count` bytes.
    func exchangeValues(
        _ own: [UInt8], of parties: PairingParties
    ) throws(ChannelError) -> [UInt8] {
        var content: [UInt8] = []
        content.appendObject(0x80, [parties.slot])
        content.appendObject(0x81, parties.hostID)
        content.appendObject(0x82, own)
        let response = try send(0x01, content)
        guard response.status == .success else { throw ChannelError(response.status) }
        let other = try response.template { (cursor) throws(MalformedBytes) in
            try cursor.object(0x82, length: own.count)
        }
        guard other != own else { throw .reflection }
        return other
    }

    /// Sends PAIR-2, data with their MAC, and reads the token's.
    ///
    /// A transmission cannot be aborted once it is under way. So a reply that comes too late is not read, and nothing
    /// of the run is stored.
    ///
    /// - Parameter tag: The tag of the data, 84 if they are plain and 86 if they are enciphered.
    func exchangeData(
        _ own: [UInt8], code: [UInt8], tag: UInt8
    ) throws(ChannelError) -> (data: [UInt8], code: [UInt8]) {
        let start = uptime.now
        let response = try send(0x02, .object(tag, own) + .object(0x85, code))
        guard uptime.now - start <= Self.patience else { throw .timedOut }
        guard response.status != .conditionsNotSatisfied else { throw .downgradeSuspected }
        guard response.status == .success else { throw ChannelError(response.status) }
        return try response.template { (cursor) throws(MalformedBytes) in
            (try cursor.object(tag), try cursor.object(0x85, length: 32))
        }
    }

    private func send(_ step: UInt8, _ content: [UInt8]) throws(ChannelError) -> Response {
        try linking { () throws(LinkError) in
            try link.exchange(Command(0x80, 0x86, step, profile.rawValue, bytes: .object(0x7C, content), ne: 256))
        }
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

/// The properties of an activation slot: E3 (GSC/1, 4). Never authenticated.
package struct SlotInformation: Sendable {
    package let state: TokenHints.SlotState
    package let profiles: Set<Profile>
    /// The number of wrong passwords that the slot still accepts, until its tries are reset or it gets a new password:
    /// the least of C1, C2 and C3.
    package let triesLeft: Int
    /// 16 bytes that were mixed into the slot's verifiers.
    let salt: [UInt8]

    /// Asks the token for slot 1 to 6, in plain.
    package static func read(slot: UInt8, over link: any CardConnection) throws(ChannelError) -> SlotInformation {
        let response = try linking { () throws(LinkError) in
            try link.exchange(Command(0x80, 0xCA, 0x47, slot, ne: 256))
        }
        guard response.status == .success else { throw .refused(response.status) }
        return try parsing { () throws(MalformedBytes) in try SlotInformation(parsing: response.data, slot: slot) }
    }

    private init(parsing bytes: [UInt8], slot: UInt8) throws(MalformedBytes) {
        var outer = ByteCursor(bytes)
        var inner = ByteCursor(try outer.object(0xE3))
        try outer.finish()
        _ = try inner.number(0x80, in: slot...slot)
        guard let state = TokenHints.SlotState(rawValue: try inner.number(0x81, in: 0...4)) else {
            throw MalformedBytes()
        }
        self.state = state
        profiles = Profile.set(bits: try inner.number(0x82, in: 0...0xFF))
        salt = try inner.object(0x83, length: 16)
        _ = try inner.number(0x84, in: 1...1)
        let inARow = Int(try inner.number(0x85, in: 0...0xFF)), wrong = Int(try inner.number(0x86, in: 0...0xFF))
        var all = ByteCursor(try inner.object(0x87, length: 2))
        triesLeft = min(inARow, wrong, Int(try all.uint16()))
        try inner.finish()
    }
}
