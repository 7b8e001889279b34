// SPDX-License-Identifier: Apache-2.0

package import APDU
import Secrets

extension Command {
    /// Whether another command follows that it is to be joined with (ISO/IEC 7816-4, 5.3.3).
    var isLink: Bool { cla & 0x10 != 0 }

    /// Whether the command is one of the channel's own (GSC/1, 6), or would be one but for the bit of chaining.
    var isOfChannel: Bool {
        switch (cla & 0xEF, ins) {
        case (0x80, 0x86): true
        case (0x80, 0xCA), (0x80, 0xE4): p1 == 0x47
        default: false
        }
    }

    /// GET RESPONSE inside of the channel.
    var isInnerGetResponse: Bool { cla == 0x00 && ins == 0xC0 }
}

extension ChannelEnd {
    /// Executes one of the channel's commands that came without protection.
    func executePlain(
        _ command: borrowing Command, isAdministrator: Bool, handshake: Handshake?
    ) throws(Refusal) -> Response {
        try require(!command.isLink, else: offer.isRequired ? .secureMessagingMissing : .chainingNotSupported)
        switch (command.ins, command.p1, command.p2) {
        case (0xCA, _, 0...6): return try capabilities(command)
        case (0x86, 0x01, _): return try beginPairing(command)
        case (0x86, 0x02, _): return try completePairing(command, handshake: handshake)
        case (0x86, 0x03, _): return try beginOpening(command, session: nil, channel: 0)
        case (0x86, 0x04, 0x00): return try completeOpening(command, handshake: handshake)
        default: break
        }
        try require(!offer.isRequired, else: .secureMessagingMissing)
        switch (command.ins, command.p1, command.p2) {
        case (0x86, 0x10, _), (0x86, 0x11, _), (0x86, 0x1F, 0x00):
            var action = PostReplyAction.none
            let response = try administrate(
                command, isAdministrator: offer.isAdministrationPlain && isAdministrator, then: &action)
            if case .reset = action { reset() }
            return response
        case (0x86, 0x0F, 0x00), (0x86, 0x20...0x21, 0x00), (0xCA, 0x47, 0x10), (0xE4, 0x47, _):
            throw Refusal(.conditionsNotSatisfied)
        default: throw Refusal(.incorrectParameters)
        }
    }

    /// Executes a command that came under protection. The answer fits into one reply; the rest waits for GET RESPONSE.
    func execute(
        _ command: borrowing Command, in session: ChannelEndSession, channel: Int, handshake: Handshake?,
        then action: inout PostReplyAction
    ) -> Response {
        let limit = min(command.ne ?? 0, maximumReply(session))
        guard command.isOfChannel, command.ins != 0xCA || command.isLink else {
            if case .renewal(channel, _) = handshake, command.isInnerGetResponse, session.pending != nil {
                self.handshake = handshake
            }
            return executeSimple(command, in: session, limit: limit)
        }
        let isInChain = session.context.isInChain
        session.context.abortChain()
        session.pending = nil
        do throws(Refusal) {
            let response = try executeOwn(
                command, in: session, channel: channel, isInChain: isInChain, handshake: handshake,
                then: &action)
            return session.cut(response, to: limit)
        } catch {
            return Response(error.status)
        }
    }

    /// The greatest plaintext of a reply in the session.
    func maximumReply(_ session: ChannelEndSession) -> Int {
        min(offer.maximumReply, session.profile.suite.maximumPlaintext)
    }

    /// Executes a command that can also come in a batch, and keeps the part of its reply beyond `limit`.
    func executeSimple(_ command: borrowing Command, in session: ChannelEndSession, limit: Int) -> Response {
        let response: Response
        if command.isInnerGetResponse {
            session.context.abortChain()
            response = session.takePending(command)
        } else if command.isOfChannel {
            session.context.abortChain()
            session.pending = nil
            do throws(Refusal) {
                response = command.p2 == 0x10 ? listRecords(own: session.record) : try capabilities(command)
            } catch {
                response = Response(error.status)
            }
        } else {
            session.pending = nil
            response = session.context.execute(command)
        }
        return session.cut(response, to: limit)
    }

    private func executeOwn(
        _ command: borrowing Command, in session: ChannelEndSession, channel: Int, isInChain: Bool,
        handshake: Handshake?,
        then action: inout PostReplyAction
    ) throws(Refusal) -> Response {
        try require(!command.isLink, else: .chainingNotSupported)
        switch (command.ins, command.p1, command.p2) {
        case (0xE4, _, _): return try unpair(command, session: session, then: &action)
        case (0x86, 0x01...0x02, _): throw Refusal(.conditionsNotSatisfied)
        case (0x86, 0x03, _):
            try require(!isInChain, else: .conditionsNotSatisfied)
            return try beginOpening(command, session: session, channel: channel)
        case (0x86, 0x04, 0x00):
            return try completeRenewal(command, channel: channel, handshake: handshake, then: &action)
        case (0x86, 0x0F, 0x00):
            action = .close
            return Response(.success)
        case (0x86, 0x10, _), (0x86, 0x11, _), (0x86, 0x1F, 0x00):
            return try administrate(command, isAdministrator: session.context.isAdministrator, then: &action)
        case (0x86, 0x20...0x21, 0x00) where offer.hasBatch:
            return try executeBatch(command, in: session)
        default: throw Refusal(.incorrectParameters)
        }
    }

    /// LIST: E4 { index, state, profile, ID_H, label, whether it is the asker's own } for each record.
    private func listRecords(own: Int) -> Response {
        var list: [UInt8] = []
        for case (let index, let record?) in state.records.enumerated() {
            let entry = [UInt8].objects([
                0x80: [UInt8(clamping: index + 1)], 0x81: [record.isActive ? 1 : 0], 0x82: [record.profile.rawValue],
                0x83: record.hostIdentity, 0x84: record.label, 0x85: [index == own ? 1 : 0],
            ])
            list.appendObject(0xE4, entry)
        }
        return Response(.success, data: list)
    }

    /// UNPAIR: the own record (FF) goes, or with the administrator's right any.
    private func unpair(
        _ command: borrowing Command, session: ChannelEndSession, then action: inout PostReplyAction
    ) throws(Refusal) -> Response {
        let isOwn = command.p2 == 0xFF || Int(command.p2) == session.record + 1
        try require(
            isOwn || session.context.isAdministrator,
            else: .securityStatusNotSatisfied)
        let record = isOwn ? session.record : Int(command.p2) - 1
        guard state.records.indices.contains(record), state.records[record] != nil else {
            throw Refusal(.referencedDataNotFound)
        }
        state.records[record] = nil
        try card.commit()
        action = .unpair(record: record)
        return Response(.success)
    }
}

extension StatusWord {
    /// 61xx: so many bytes wait for GET RESPONSE.
    package static func bytesAvailable(_ count: Int) -> StatusWord {
        StatusWord(0x61, count > 255 ? 0 : UInt8(truncatingIfNeeded: count))
    }
}

/// Several commands in one (GSC/1, 13.4).
extension ChannelEnd {
    /// Executes the commands in order and returns their replies: `B1 L <data ‖ SW1 SW2>` each. With P1 = 20 a command that
    /// fails is the last.
    func executeBatch(_ command: borrowing Command, in session: ChannelEndSession) throws(Refusal) -> Response {
        guard let batch = try? Batch(command.data.bytes) else { throw Refusal(.incorrectData) }
        try require(
            batch.commands.count <= Batch.maximumCount && batch.greatestReply <= maximumReply(session),
            else: .wrongLength)
        var replies: [UInt8] = []
        for range in batch.commands {
            guard let inner = try? Command(parsing: command.data.bytes.extracting(range)) else { break }
            let reply = executeSimple(inner, in: session, limit: inner.ne ?? 0)
            replies.appendObject(0xB1, reply.encoded)
            if command.p1 == 0x20, reply.status != .success, reply.status.bytesAvailable == nil { break }
        }
        return Response(.success, data: replies)
    }
}

/// The commands of a batch: `B0 L <command APDU>` each, all of them permitted in batches.
private struct Batch {
    static let maximumCount = 16

    /// The ranges of the APDUs.
    let commands: [Range<Int>]
    /// The length of the replies if every command returns all that it may.
    let greatestReply: Int

    init(_ bytes: Span<UInt8>) throws {
        var cursor = ByteCursor([UInt8](copying: bytes))
        var commands: [Range<Int>] = []
        var greatestReply = 0
        while !cursor.isAtEnd {
            let apdu = try cursor.object(0xB0)
            let end = bytes.count - cursor.count
            let command = try Command(parsing: apdu.span)
            guard Batch.isAllowed(command), Batch.isShort(apdu) else { throw MalformedCommand() }
            commands.append(end - apdu.count..<end)
            greatestReply += Batch.objectLength((command.ne ?? 0) + 2)
        }
        guard !commands.isEmpty else { throw MalformedCommand() }
        self.commands = commands
        self.greatestReply = greatestReply
    }

    /// No protection, no channel, no chain, none of the channel's own commands that change it.
    private static func isAllowed(_ command: borrowing Command) -> Bool {
        (command.cla == 0x00 || command.cla == 0x80) && command.ins != 0x86
            && !(command.cla == 0x80 && command.ins == 0xE4 && command.p1 == 0x47)
    }

    /// Whether the length fields have one byte.
    private static func isShort(_ apdu: [UInt8]) -> Bool { apdu.count <= 5 || apdu[4] != 0 }

    private static func objectLength(_ count: Int) -> Int { count + (count < 0x80 ? 2 : count <= 0xFF ? 3 : 4) }
}
