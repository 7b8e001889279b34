// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Locking

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
