// SPDX-License-Identifier: Apache-2.0

package import APDU
package import Secrets

/// A card behind the token's end of a channel: it executes plain commands, and stores the end's state.
///
/// It serves one thread at a time.
package protocol ChannelCard: AnyObject {
    /// The serial number, ID_T: eight bytes, big-endian.
    var serial: [UInt8] { get }
    /// The label of the token in UTF-8; empty if it has none.
    var label: [UInt8] { get }
    /// The lasting state of the end. A change is kept once ``commit()`` returns.
    var channel: ChannelState { get set }
    /// The source of keys, nonces and challenges.
    var random: any RandomSource { get }
    /// Waits so many milliseconds, after a host has failed to prove itself.
    var pause: @Sendable (Int) -> Void { get }
    /// Is told the keys of each new session.
    var reveal: @Sendable ([[UInt8]]) -> Void { get }

    /// Stores the changes. If this throws, the state is the one before.
    func commit() throws(Refusal)

    /// A context for the commands of a session with this host, or for plain ones. It lives as long as the session.
    func makeContext(for host: PairingRecord?) -> any CardContext

    /// Whether a command since the last question erased the card, so that all contexts are void.
    func takeErasure() -> Bool

    /// Is told of events on the channel.
    func note(_ event: ChannelEvent)
}

extension ChannelCard {
    package func note(_ event: ChannelEvent) {}
}

/// Events on a channel.
package enum ChannelEvent: Sendable {
    /// A host has proved the password of a slot, and its record was written.
    case paired(PairingRecord)
    /// A host did not know the password of a slot. `triesLeft` are those in a row.
    case wrongPassword(slot: Int, triesLeft: Int)
    /// A host has opened a session.
    case opened(PairingRecord)
    /// A plain command was refused, because the channel is required: class, instruction, P1 and P2.
    case refusedPlain([UInt8])
}

/// The state that the commands of one session leave on the card: a login, the selected file, the environment. It never
/// reaches another context.
package protocol CardContext: AnyObject {
    /// Whether links of a chain wait for the last one (ISO/IEC 7816-4, 5.3.3).
    var isInChain: Bool { get }
    /// Whether the administrator's PIN was presented.
    var isAdministrator: Bool { get }

    /// Executes a command without secure messaging and gives the whole answer, however long.
    func execute(_ command: borrowing Command) -> Response
    /// Forgets the links of a chain.
    func abortChain()
    /// Forgets everything.
    func clear()
}

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

    /// Executes a command APDU and gives the response APDU.
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

    /// Whether the command has a form that the token takes (GSC/1, 4, E1.83): without a channel, only the short one.
    private func takes(_ command: borrowing Command, _ apdu: Span<UInt8>) -> Bool {
        guard let channel else { return apdu.count <= 5 || apdu[4] != 0 }
        return !command.isExtended || channel.offer.takesExtendedLength
    }
}

extension Command {
    /// GET RESPONSE without secure messaging, on any channel.
    fileprivate var isGetResponse: Bool { cla & ~0x03 == 0 && ins == 0xC0 }
}
