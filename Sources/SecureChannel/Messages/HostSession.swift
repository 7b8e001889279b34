// SPDX-License-Identifier: Apache-2.0

import APDU
import Secrets

/// The keys and the message counter of one session (GSC/1, 13 and 14). Its end wipes the keys.
struct HostSession: ~Copyable {
    /// The greatest number of commands in a session.
    static let maximum: UInt32 = 65_536
    /// The number of commands under the same keys.
    private static let epochLength: UInt32 = 256

    let suite: any Suite.Type
    /// The logical channel, 0 to 3.
    let channel: UInt8
    /// K_exp, to which a renewed session is bound.
    let exporter: Secret
    /// n of the last command made; its reply has the same.
    private(set) var number: UInt32 = 0
    /// S of the next epoch.
    private var seed: Secret
    private var keys: (command: any MessageKey, response: any MessageKey)?

    /// A session from S_0.
    init(suite: any Suite.Type, channel: UInt8, seed: consuming Secret, exporter: consuming Secret) {
        self.suite = suite
        self.channel = channel
        self.seed = seed
        self.exporter = exporter
    }

    /// Counts the next command and returns its key.
    mutating func nextCommandKey() throws(ChannelError) -> any MessageKey {
        guard number < HostSession.maximum else { throw .link(.reset) }
        if number.isMultiple(of: HostSession.epochLength) { try beginEpoch(number / HostSession.epochLength) }
        guard let keys else { throw .libraryFailure }
        number += 1
        return keys.command
    }

    /// The key for the reply to the last command.
    var responseKey: any MessageKey {
        get throws(ChannelError) {
            guard let keys else { throw .libraryFailure }
            return keys.response
        }
    }

    /// Derives the keys of an epoch. The keys before it, and their origin, are gone then.
    private mutating func beginEpoch(_ epoch: UInt32) throws(ChannelError) {
        var label: [UInt8] = []
        label.appendUInt32(epoch)
        let size = suite.messageKeySize
        let derived = try suite.expand(seed.bytes, label: "GSC1 epoch", seed: label, count: 2 * size + 32)
        keys = (
            try suite.messageKey(derived.bytes.extracting(0..<size)),
            try suite.messageKey(derived.bytes.extracting(size..<2 * size))
        )
        seed = derived.extracting(2 * size..<2 * size + 32)
    }
}

/// CLA, INS, P1, P2.
struct CommandHeader {
    var cla, ins, p1, p2: UInt8
}

extension HostSession {
    /// The number of bytes to a multiple of which secret lengths are padded (GSC/1, 13.2).
    static let block = 32

    /// Protects one command (13.1). Its data must fit one message.
    ///
    /// - Parameters:
    ///   - padded: Whether the length of the data must not show.
    ///   - extended: Whether command and reply may have extended length fields.
    mutating func protect(
        _ header: CommandHeader, _ data: Span<UInt8>, ne: Int?, padded: Bool, extended: Bool
    ) throws(ChannelError) -> Command {
        let key = try nextCommandKey()
        let cla = header.cla | 0x0C | channel
        let padding = padded ? HostSession.block - data.count % HostSession.block : 0
        var body: [UInt8] = []
        body.reserveCapacity(data.count + padding + 32)
        if !data.isEmpty || padded {
            body.appendSealedHead(count: data.count + padding, indicator: padded ? 0x01 : 0x02)
        }
        var associated: [UInt8] = []
        associated.reserveCapacity(24)
        associated.appendUInt32(number)
        associated += [cla, header.ins, header.p1, header.p2]
        associated += body
        associated.appendExpectedLength(ne)
        let sealed =
            if padded {
                try key.seal(data.padded(by: padding).bytes, number: number, associated: associated.span)
            } else {
                try key.seal(data, number: number, associated: associated.span)
            }
        body.append(copying: sealed.bytes.extracting(droppingLast: 8))
        body.appendExpectedLength(ne)
        body.append(0x8E)
        body.append(8)
        body.append(copying: sealed.bytes.extracting(last: 8))
        let isLong = extended && (body.count > 255 || (ne ?? 0) > 238)
        return Command(cla, header.ins, header.p1, header.p2, bytes: body, ne: isLong ? 65_536 : 256)
    }

    /// Verifies and deciphers the reply to the last command (13.3).
    func verify(_ reply: Response) throws(ChannelError) -> SecretResponse {
        guard reply.status == .success else { throw .refused(reply.status) }
        let reply = try parsing { () throws(MalformedBytes) in
            try ProtectedReply(parsing: reply.data, limit: suite.maximumMessage)
        }
        var associated: [UInt8] = []
        associated.reserveCapacity(24)
        associated.appendUInt32(number)
        if let indicator = reply.indicator {
            associated.appendSealedHead(count: reply.sealed.count - 8, indicator: indicator)
        }
        associated += [0x99, 0x02, reply.status.sw1, reply.status.sw2]
        let key = try responseKey
        let plaintext = try key.open(reply.sealed.span, number: number, associated: associated.span)
        guard let plaintext else { throw .authenticationFailed }
        guard reply.indicator == 0x01 else { return SecretResponse(reply.status, data: plaintext) }
        guard let count = plaintext.unpaddedCount(block: HostSession.block) else { throw .malformedResponse }
        return SecretResponse(reply.status, data: plaintext.extracting(0..<count))
    }

    /// The greatest number of bytes of data in one message: 238 in a short APDU, one less if do97 has two bytes; in an
    /// extended one, the link's limit less header, length fields, h87, do97 and DO 8E.
    ///
    /// - Parameters:
    ///   - limit: The greatest plaintext that the token accepts.
    ///   - room: The greatest length of an APDU if it may be extended.
    func capacity(ne: Int?, padded: Bool, limit: Int, room: Int?) -> Int {
        let short = (ne ?? 0) > 256 ? 237 : 238
        let capacity = min(room.map { $0 - 28 } ?? short, limit, suite.maximumMessage)
        return padded ? capacity / HostSession.block * HostSession.block - 1 : capacity
    }
}

/// The parts of a protected reply, not yet verified (GSC/1, 13.1).
struct ProtectedReply {
    /// PI; nil without data.
    let indicator: UInt8?
    /// The ciphertext, and the tag of 8 bytes.
    let sealed: [UInt8]
    let status: StatusWord

    /// Reads 87? 99 8E, with all lengths as they must be.
    ///
    /// - Parameter limit: The greatest number of bytes of ciphertext.
    init(parsing body: [UInt8], limit: Int) throws(MalformedBytes) {
        var cursor = ByteCursor(body)
        var text: [UInt8] = []
        if cursor.nextTag == 0x87 {
            var content = ByteCursor(try cursor.object(0x87))
            let byte = try content.byte()
            text = content.rest()
            guard byte == 0x01 || byte == 0x02, (1...limit).contains(text.count) else { throw MalformedBytes() }
            indicator = byte
        } else {
            indicator = nil
        }
        let words = try cursor.object(0x99, length: 2)
        status = StatusWord(words[0], words[1])
        sealed = text + (try cursor.object(0x8E, length: 8))
        try cursor.finish()
    }
}

extension [UInt8] {
    /// h87: tag, length, padding indicator.
    fileprivate mutating func appendSealedHead(count: Int, indicator: UInt8) {
        append(0x87)
        appendDERLength(count + 1)
        append(indicator)
    }

    /// do97: Le in one byte, or in two above 256.
    fileprivate mutating func appendExpectedLength(_ ne: Int?) {
        guard let ne else { return }
        append(0x97)
        append(ne <= 256 ? 1 : 2)
        if ne > 256 { append(UInt8(truncatingIfNeeded: ne >> 8)) }
        append(UInt8(truncatingIfNeeded: ne))
    }

    fileprivate mutating func append(copying bytes: Span<UInt8>) {
        for index in bytes.indices { append(bytes[index]) }
    }
}

extension Span<UInt8> {
    /// These bytes, 80 and as many 00 as make `count` bytes more.
    fileprivate func padded(by count: Int) -> Secret {
        var padded = Secret(count: self.count + count)
        var bytes = padded.mutableBytes
        for index in indices { bytes[index] = self[index] }
        bytes[self.count] = 0x80
        return padded
    }
}

extension Secret {
    /// The number of bytes before the padding; nil if this is not padded, or if it is nothing but padding.
    fileprivate func unpaddedCount(block: Int) -> Int? {
        guard count % block == 0, let end = (0..<count).last(where: { bytes[$0] != 0 }), bytes[end] == 0x80, end > 0,
            count - end <= block
        else { return nil }
        return end
    }
}
