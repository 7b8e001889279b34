// SPDX-License-Identifier: Apache-2.0

import APDU
import Secrets

/// The layer between the reader and the application: class bytes, long answers, and the secure channel.
package final class CardInterface {
    private let card: any ChannelCard
    let channel: ChannelEnd?
    /// The card's context for plain commands.
    private let plain: any CardContext
    /// The rest of the last reply.
    private var remainder: Remainder?

    private struct Remainder {
        let channel: UInt8
        let bytes: [UInt8]
        /// The status word of the last part.
        let status: StatusWord
    }

    /// - Parameter offer: Nil for a card without a channel.
    package init(_ card: any ChannelCard, offer: ChannelOffer?) {
        self.card = card
        plain = card.makeContext(for: nil)
        channel = offer.map { ChannelEnd(card: card, offer: $0) }
    }

    /// Loss of power: everything that is not in the memory is gone.
    package func reset() {
        plain.clear()
        remainder = nil
        channel?.reset()
    }

    /// Executes a command APDU and returns the response APDU.
    package func process(_ apdu: Span<UInt8>) -> [UInt8] {
        guard let command = try? Command(parsing: apdu), takes(command, apdu) else {
            remainder = nil
            channel?.handshake = nil
            return Response(.wrongLength).encoded
        }
        let response: Response
        do throws(Refusal) {
            response = try command.isGetResponse ? fetch(command) : execute(command)
        } catch {
            response = Response(error.status)
        }
        if card.takeErasure() {
            plain.clear()
            channel?.clearContexts()
        }
        return response.encoded
    }

    /// Sorts the command by its class (GSC/1, 11.2).
    private func execute(_ command: borrowing Command) throws(Refusal) -> Response {
        remainder = nil
        let handshake = channel?.handshake.take()
        try require(command.cla & 0x60 == 0, else: .classNotSupported)
        let number = command.cla & 0x03
        switch command.cla & 0x0C {
        case 0x00:
            try require(number == 0, else: .channelNotSupported)
            return try executePlain(command, handshake: handshake)
        case 0x0C:
            guard let channel else { throw Refusal(.secureMessagingNotSupported) }
            try require(channel.sessions.indices.contains(Int(number)), else: .channelNotSupported)
            let body = try channel.executeProtected(command, channel: Int(number), handshake: handshake)
            return deliver(Response(.success, data: body), to: command)
        default:
            throw Refusal(.secureMessagingNotSupported)
        }
    }

    private func executePlain(_ command: borrowing Command, handshake: Handshake?) throws(Refusal) -> Response {
        if let channel, command.isOfChannel {
            let response = try channel.executePlain(
                command, isAdministrator: plain.isAdministrator, handshake: handshake)
            return deliver(response, to: command)
        }
        if channel?.offer.isRequired == true {
            card.note(.refusedPlain([command.cla, command.ins, command.p1, command.p2]))
            throw Refusal(.secureMessagingMissing)
        }
        let response = plain.execute(command)
        if response.data.count > 256, command.ne == 256 {
            // A modulus of more than 2048 bits: all of it is fetched by GET RESPONSE.
            remainder = Remainder(channel: command.cla & 0x03, bytes: response.data, status: response.status)
            return Response(.bytesAvailable(response.data.count))
        }
        return Response(response.status, data: Array(response.data.prefix(command.ne ?? 0)))
    }

    /// As much as Le allows; the rest waits for GET RESPONSE.
    private func deliver(_ response: Response, to command: borrowing Command) -> Response {
        let rest = Array(response.data.dropFirst(command.ne ?? 0))
        guard !rest.isEmpty else { return response }
        remainder = Remainder(channel: command.cla & 0x03, bytes: rest, status: response.status)
        return Response(.bytesAvailable(rest.count), data: Array(response.data.prefix(command.ne ?? 0)))
    }

    /// GET RESPONSE for the rest of the last reply. Without a rest, it is a command like any other.
    private func fetch(_ command: borrowing Command) throws(Refusal) -> Response {
        guard let rest = remainder.take(), rest.channel == command.cla & 0x03, command.p1 == 0, command.p2 == 0 else {
            channel?.handshake = nil
            throw Refusal(.conditionsNotSatisfied)
        }
        return deliver(Response(rest.status, data: rest.bytes), to: command)
    }

    /// Whether the command has a form that the token accepts (GSC/1, 4, E1.83): without a channel, only the short one.
    private func takes(_ command: borrowing Command, _ apdu: Span<UInt8>) -> Bool {
        guard let channel else { return apdu.count <= 5 || apdu[4] != 0 }
        return !command.isExtended || channel.offer.takesExtendedLength
    }
}
