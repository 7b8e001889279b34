// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import Secrets
import TestSupport
import TokenEnd

/// The reader of a far machine, with a token of this one behind a share's end of the channel.
///
/// It serves one thread at a time, as the far reader of a share does.
final class SharedReader: ReaderService, @unchecked Sendable {
    let token: EmulatedCard
    let events = Lock<[Share.Event]>([])
    let password: String
    private var far: TerminatingCard
    private let link: EmulatedLink
    private let local: LocalToken
    private let records: ShareRecords
    private let policy: SharePolicy
    private let folder = Folder()

    init(
        permissions: Share.Permissions = .all, confirmation: Share.Confirmation = .never, agrees: Bool = true,
        offer: ChannelOffer = TerminatingCard.offer
    ) throws {
        token = try EmulatedCard(.usb)
        link = EmulatedLink(token)
        local = try LocalToken(link, reader: "local")
        records = try ShareRecords(path: folder.path + "/shares", serial: local.serial)
        var state = try ChannelState(TerminatingCard.offer, random: SystemRandom())
        password = try state.renewPassword(of: 1, TerminatingCard.offer, random: SystemRandom())
        try records.save(state)
        let events = events
        policy = SharePolicy(
            permissions: permissions, confirmation: confirmation, ask: { _ in agrees },
            report: { event in events.withLock { $0.append(event) } })
        far = TerminatingCard(
            SharedCard(local, state, records: records, policy: policy, pause: { _ in }), offer: offer)
    }

    /// The instructions of refused commands, as reported.
    var refused: [UInt8] {
        events.withLock { events in
            events.compactMap { event in
                guard case .refused(let header, _) = event else { return nil }
                return header[1]
            }
        }
    }

    /// The number of open sessions.
    var open: Int {
        events.withLock { events in
            events.reduce(0) { count, event in
                switch event {
                case .opened: count + 1
                case .closed: count - 1
                default: count
                }
            }
        }
    }

    func process(_ apdu: [UInt8]) -> [UInt8]? { far.answer(apdu) }

    /// The far reader lost the token and has it again.
    func reset() { far.reset() }

    /// The share was killed, and another one began with the first one's stored state.
    func restart() throws {
        guard let state = try records.load() else { throw ShareError.damagedRecords }
        far = TerminatingCard(SharedCard(local, state, records: records, policy: policy, pause: { _ in }))
    }

    func lose() { link.isThere = false }

    func readers() throws(LinkError) -> [ReaderState] { [ReaderState(name: "far", atr: link.atr, events: 1)] }

    func connect(to reader: String) throws(LinkError) -> any CardLink {
        FarLink(token.identity.atr, process)
    }
}

/// The card in a far reader, which takes a whole command and may be lost with it.
final class FarLink: CardLink {
    let atr: [UInt8]
    private let process: ([UInt8]) -> [UInt8]?

    init(_ atr: [UInt8], _ process: @escaping ([UInt8]) -> [UInt8]?) { (self.atr, self.process) = (atr, process) }

    func beginTransaction() throws(LinkError) -> Bool { false }
    func endTransaction() {}
    func disconnect() {}

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        guard let encoded = try? command.encoded() else { throw .malformed }
        guard let answer = process([UInt8](copying: encoded)), let response = Response(parsing: answer)
        else { throw .removed(sent: true) }
        return response
    }
}

/// The reader of a near machine, with a token that a share has for itself.
final class OneReader: OwnedCardService, @unchecked Sendable {
    let link: EmulatedLink

    init(_ card: EmulatedCard) { link = EmulatedLink(card) }

    func readers() throws(LinkError) -> [ReaderState] { [ReaderState(name: "near", atr: link.atr, events: 1)] }
    func own(_ reader: String) throws(LinkError) -> any OwnedCard { link }
    func connect(to reader: String) throws(LinkError) -> any CardLink { throw .noCard }
}

/// An emulated token that the share has for itself.
final class EmulatedLink: OwnedCard {
    private let card: EmulatedCard
    var isThere = true
    /// The number of resets of the token.
    private(set) var resets = 0
    private(set) var sent: [[UInt8]] = []
    /// The instruction with which the token is lost.
    var lost: UInt8?
    /// The instruction that is answered by more bytes than a frame holds.
    var oversized: UInt8?

    init(_ card: EmulatedCard) { self.card = card }

    var atr: [UInt8] { card.identity.atr }

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        guard isThere else { throw .removed(sent: false) }
        sent.append([command.cla, command.ins, command.p1, command.p2])
        guard command.ins != lost else {
            isThere = false
            throw .removed(sent: true)
        }
        if command.ins == oversized {
            guard let response = Response(parsing: [UInt8](repeating: 2, count: 65_536) + [0x90, 0x00]) else {
                throw .malformed
            }
            return response
        }
        return try card.transmit(command)
    }

    func reset() throws(LinkError) {
        guard isThere else { throw .noCard }
        resets += 1
        card.reset()
    }

    func giveBack() {}
}
