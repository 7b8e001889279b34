// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import TestSupport

/// A telephone: a token is present only while a field session is open and the token is held to it.
final class Phone: Transport, Sendable {
    private struct State {
        var isOpen = false
        /// The cards that are held to the telephone, one after the other; each is removed when polling restarts.
        var cards: [EmulatedReader]
        /// The number of them in the field at once.
        var count: Int
        /// The number of times that other cards were held to it.
        var exchanges = 0
        var log: [String] = []
        /// The number of looks at the readers before the field closes by itself.
        var looksLeft: Int
        /// Whether the telephone's radio is off.
        var isOff = false
        /// Whether it can take the power from a card.
        var canReset = true
        /// The answer to a command for a card that is not held to it any more.
        var loss = TransportError.removed(sent: false)
        /// Whether the looks at the readers tell that the field has ended.
        var tellsOfEnd = true
        /// The instruction bytes of all commands, sent or not.
        var instructions: [UInt8] = []
        /// Runs before a command; its number counts from 1.
        var onCommand: (@Sendable (_ number: Int) -> Void)?
    }

    private let state: Lock<State>
    private let isContactless: Bool

    init(_ cards: [EmulatedReader], atOnce count: Int = 1, looks: Int = .max, isContactless: Bool = true) {
        self.isContactless = isContactless
        state = Lock(State(cards: cards, count: count, looksLeft: looks))
    }

    var log: [String] { state.withLock { $0.log } }

    func hold(_ cards: [EmulatedReader]) {
        state.withLock { state in
            state.cards = cards
            state.exchanges += 1
        }
    }

    /// The user closes the field.
    func cancel() { state.withLock { $0.looksLeft = 0 } }

    /// It lets fields be open again, as long as the user likes, with these cards before it.
    func recover(_ cards: [EmulatedReader]) { state.withLock { ($0.looksLeft, $0.cards) = (.max, cards) } }

    func switchOff() { state.withLock { $0.isOff = true } }

    /// Commands to a card that has left are answered so from now on.
    func loseCards(by loss: TransportError, tellingOfEnd: Bool = true) {
        state.withLock { ($0.loss, $0.tellsOfEnd) = (loss, tellingOfEnd) }
    }

    /// Does something before each command from now on, or nothing any more.
    func onCommand(_ action: (@Sendable (_ number: Int) -> Void)?) {
        state.withLock { ($0.onCommand, $0.instructions) = (action, []) }
    }

    /// The instruction bytes of the commands since ``onCommand(_:)``, sent or not.
    var instructions: [UInt8] { state.withLock { $0.instructions } }

    /// It cannot reset cards any more.
    func loseResets() { state.withLock { $0.canReset = false } }

    func readers() throws(TransportError) -> [Reader] {
        try state.withLock { state throws(TransportError) in
            guard !state.isOff else { throw .unavailable }
            guard state.isOpen else { return [Reader(name: "Telephone", atr: nil, events: 0)] }
            state.looksLeft -= 1
            guard state.looksLeft > 0 || !state.tellsOfEnd else { throw .fieldClosed }
            return (0..<state.count).map { index in
                let card = state.cards.dropFirst(index).first
                return Reader(
                    name: Self.name(index), atr: card?.card.identity.atr, events: state.log.count + state.exchanges)
            }
        }
    }

    private static func name(_ index: Int) -> String { index == 0 ? "Telephone" : "Telephone \(index + 1)" }

    func connect(to reader: String) throws(TransportError) -> any CardHandle {
        let card: EmulatedReader? = state.withLock { state in
            let index = (0..<state.count).first { Self.name($0) == reader }
            return state.isOpen ? index.flatMap { state.cards.dropFirst($0).first } : nil
        }
        guard let card else { throw .noCard }
        do { return Handle(self, try card.connect(to: EmulatedReader.name), card) } catch { throw .noCard }
    }

    func isHeld(_ card: EmulatedReader) -> Bool {
        state.withLock { state in state.isOpen && state.cards.prefix(state.count).contains { $0 === card } }
    }

    func openField(message: String) throws(TransportError) -> Bool {
        try state.withLock { state throws(TransportError) in
            guard !state.isOff else { throw .unavailable }
            state.log.append("open: \(message)")
            state.isOpen = true
        }
        return true
    }

    func restartPolling(message: String) throws(TransportError) {
        state.withLock { state in
            state.log.append("restart: \(message)")
            state.cards = Array(state.cards.dropFirst())
        }
    }

    func closeField(_ outcome: FieldOutcome) {
        state.withLock { state in
            state.log.append(outcome == .success ? "close" : "close: \(outcome)")
            state.isOpen = false
            // The card loses its power with the field.
            for card in state.cards.prefix(state.count) { card.card.powerOff() }
        }
    }

    private final class Handle: CardHandle {
        private let phone: Phone
        private let link: any CardLink
        private let card: EmulatedReader

        init(_ phone: Phone, _ link: any CardLink, _ card: EmulatedReader) {
            self.phone = phone
            self.link = link
            self.card = card
        }

        var atr: [UInt8] { link.atr }
        var isContactless: Bool { phone.isContactless }

        func reset() throws(TransportError) {
            guard phone.state.withLock({ $0.canReset }) else { throw .unavailable }
            guard phone.isHeld(card) else { throw .removed(sent: false) }
            card.card.reset()
        }

        func transmit(_ command: Span<UInt8>) throws(TransportError) -> [UInt8] {
            let instruction = command[1]
            let (number, action) = phone.state.withLock { state in
                state.instructions.append(instruction)
                return (state.instructions.count, state.onCommand)
            }
            action?(number)
            guard phone.isHeld(card) else { throw phone.state.withLock { $0.loss } }
            do {
                let command = try Command(parsing: command)
                return try link.transmit(command).encoded
            } catch {
                throw .removed(sent: true)
            }
        }
    }
}
