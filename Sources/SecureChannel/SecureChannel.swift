// SPDX-License-Identifier: Apache-2.0
package import APDU
import Locking
import Secrets

/// An open session with a token: accepts commands in plain, sends them protected, and returns replies that were verified
/// (GSC/1, 12 and 13).
///
/// Any failure closes the channel and wipes its keys. The caller opens a new one. Until the first verified reply the
/// channel is provisional, and the first command must be idempotent (SELECT, MSE SET), because the token's
/// last word in the opening is not authenticated (10).
///
/// A channel belongs to one thread at a time and to the process that opened it.
package final class SecureChannel: CardConnection {
    /// The pairing by which the channel was opened, with the E1 that the token confirmed.
    package let record: PairingRecord
    /// Whether no reply has been verified yet.
    package private(set) var isProvisional = true
    /// Whether a reply had a wrong MAC.
    package private(set) var metWrongMAC = false

    let uptime: Uptime
    var session: HostSession?
    /// When the keys were agreed.
    private(set) var begin: Duration
    private let link: any CardConnection

    init(_ session: consuming HostSession, over link: any CardConnection, record: PairingRecord, uptime: Uptime) {
        self.session = .some(session)
        self.link = link
        self.record = record
        self.uptime = uptime
        begin = uptime.now
    }

    /// E1 of the token, confirmed by it.
    package var capabilities: Capabilities { record.capabilities }

    /// The greatest plaintext of one protected reply, in bytes: the token's, or the profile's if that is less (4).
    package var maxReply: Int { min(capabilities.maxReply, session?.suite.maximumMessage ?? 0) }

    /// Whether commands can be sent: nothing went wrong, and the greatest number of commands was not reached.
    package var isOpen: Bool {
        guard let number = session?.number else { return false }
        return number < HostSession.maximum
    }

    /// The greatest length of a command with the most data that `transmit(_:)` accepts.
    package var maximumLength: Int { 65_544 }

    /// Sends one command protected and returns the verified reply.
    ///
    /// Data that do not fit one message are sent as a command chain (11.3), and a reply that the token returns in pieces
    /// (61xx) is fetched up to the command's Ne (11.4).
    ///
    /// - Throws: `LinkError/malformed` for a CLA other than 00, 10, 80, 90 or more data than the profile allows, with
    ///   nothing sent; `LinkError/reset` if the channel is closed; `LinkError/channelBroken` if the reply cannot be
    ///   trusted; and the errors of the link. All but the first leave the channel closed.
    package func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        let reply = try transmitSecret(command)
        return Response(reply.status, data: [UInt8](copying: reply.data))
    }

    /// As `transmit(_:)`, for replies that are secret.
    package func transmitSecret(_ command: borrowing Command) throws(LinkError) -> SecretResponse {
        guard isOpen, let limit = session?.suite.maximumMessage else {
            discard()
            throw .reset
        }
        guard [0x00, 0x10, 0x80, 0x90].contains(command.cla), command.data.count <= limit,
            (0...65_536).contains(command.ne ?? 0)
        else { throw .malformed }
        var isBegun = false
        do throws(LinkError) {
            let padded = command.carriesPIN
            var header = CommandHeader(cla: command.cla | 0x10, ins: command.ins, p1: command.p1, p2: command.p2)
            let size = capacity(ne: command.ne, padded: padded)
            var start = 0
            while command.data.count - start > size {
                let part = command.data.bytes.extracting(start..<start + size)
                let reply = try send(header, part, ne: nil, padded: padded)
                isBegun = true
                guard reply.status == .success else { return try fetchRest(of: reply, ne: command.ne ?? 0) }
                guard reply.data.isEmpty else { throw .channelBroken }
                start += size
            }
            header.cla = command.cla
            let rest = command.data.bytes.extracting(droppingFirst: start)
            let reply = try send(header, rest, ne: command.ne, padded: padded)
            isBegun = true
            return try fetchRest(of: reply, ne: command.ne ?? 0)
        } catch {
            discard()
            throw isBegun ? error.metAfterPart : error
        }
    }

    /// Ends the session on the token too, if the token can still be reached, and wipes the keys.
    package func close() {
        guard session != nil else { return }
        _ = try? transmit(Command(0x80, 0x86, 0x0F, 0x00))
        discard()
    }

    /// Wipes the keys without a command to the token, which is gone, or belongs to the parent of this process.
    package func discard() { session = nil }

    /// Goes on with fresh keys; the old ones are wiped.
    func replaceSession(_ session: consuming HostSession) {
        self.session = .some(session)
        begin = uptime.now
    }

    /// The greatest number of bytes of data in one message.
    func capacity(ne: Int?, padded: Bool) -> Int {
        let room = canExtend ? min(link.maximumLength, 65_544) : nil
        return session?.capacity(ne: ne, padded: padded, limit: capabilities.maxCommand, room: room) ?? 0
    }

    /// Whether token and link take extended length fields (4).
    private var canExtend: Bool { capabilities.maxCommand > 238 && link.maximumLength > Command.maximumShortLength }
}

/// Batches (GSC/1, 13.4).
extension SecureChannel {
    /// Whether the token accepts the batch: has the feature, and room for the commands and all possible replies. If it has
    /// not, the commands are to be sent one by one.
    package func canTransmit(_ batch: borrowing Batch) -> Bool {
        let command = batch.command
        return capabilities.features.contains(.batch) && batch.isAllowed && (1...16).contains(batch.count)
            && batch.replyLength <= maxReply
            && command.data.count <= capacity(ne: command.ne, padded: command.carriesPIN)
    }

    /// Sends the commands of a batch as one and returns the replies to those that were executed, in order.
    ///
    /// Unless the batch ``Batch/goesOn``, the last reply is the first whose status word is neither 9000 nor 61xx. If the
    /// token refuses the batch as a whole, nothing was executed, and its status word is returned as the status word of the first
    /// command.
    ///
    /// - Throws: The errors of `transmit(_:)`; `LinkError/malformed`, with nothing sent, for a batch that
    ///   ``canTransmit(_:)`` rejects.
    package func transmit(_ batch: borrowing Batch) throws(LinkError) -> [Response] {
        guard isOpen else { throw .reset }
        guard canTransmit(batch) else { throw .malformed }
        let reply = try transmitSecret(batch.command)
        guard reply.status == .success else { return [Response(reply.status)] }
        do throws(MalformedBytes) {
            return try Batch.replies(in: [UInt8](copying: reply.data), to: batch.count)
        } catch {
            discard()
            throw .channelBroken
        }
    }
}

extension SecureChannel {
    /// Fetches the rest of a reply with protected GET RESPONSE, up to the command's Ne.
    private func fetchRest(of reply: consuming SecretResponse, ne wanted: Int) throws(LinkError) -> SecretResponse {
        var reply = reply
        while let available = reply.status.bytesAvailable, reply.data.count < wanted {
            let header = CommandHeader(cla: 0x00, ins: 0xC0, p1: 0x00, p2: 0x00)
            let ne = min(available, wanted - reply.data.count)
            let rest = try send(header, Span(), ne: ne, padded: false)
            guard !rest.data.isEmpty || rest.status.bytesAvailable == nil else { throw .channelBroken }
            reply = SecretResponse(rest.status, data: reply.data.appending(rest.data.bytes))
        }
        return reply
    }

    /// Sends one message and verifies its reply.
    private func send(
        _ header: CommandHeader, _ data: Span<UInt8>, ne: Int?, padded: Bool
    ) throws(LinkError) -> SecretResponse {
        do throws(ChannelError) {
            guard let channel = session?.channel else { throw .link(.reset) }
            let message = try session?.protect(header, data, ne: ne, padded: padded, extended: canExtend)
            guard let message else { throw .link(.reset) }
            let reply: Response
            do { reply = try link.exchange(message, channel: channel) } catch { throw .link(error) }
            let response = try session?.verify(reply)
            guard let response else { throw .link(.reset) }
            isProvisional = false
            return response
        } catch .link(let error) where error != .malformed {
            throw error
        } catch {
            metWrongMAC = metWrongMAC || error == .authenticationFailed
            throw .channelBroken
        }
    }
}
