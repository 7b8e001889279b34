// SPDX-License-Identifier: Apache-2.0
package import APDU
package import Emulator
import Foundation
import Locking
import Secrets

/// A reader with an emulated card in this process. It records the conversation and can misbehave on command.
package final class EmulatedReader: ReaderService, Sendable {
    package static let name = "Virtual PCD 00 00"
    /// The activation password that tests give to their tokens.
    package static let password = "1BCD-EFGH-JKLM-NPQR"
    /// The PIN of User that new tokens have.
    package static let userPIN = "12345678"

    private let state: Lock<State>

    /// Changes a response before the host sees it, or loses it. The number counts commands from 1.
    package typealias Change = @Sendable (_ number: Int, _ instruction: UInt8, Response) throws(LinkError) -> Response

    /// Refuses requests for a connection or a transaction before they reach the card. The number counts both, from 1.
    package typealias Refusal = @Sendable (_ number: Int) throws(LinkError) -> Void

    private struct State {
        var card: EmulatedCard
        var isPresent = true
        /// Events that the service counts besides, though connections live.
        var events = 0
        /// Whether the connection fails, since another card replaced its own.
        var isOff = false
        /// Counts removals: connections from before one are dead.
        var removals = 0
        var wasReset = false
        var conversation: [UInt8] = []
        var commands = 0
        var sent: [[UInt8]] = []
        var transactions = 0
        /// The headers of all commands.
        var headers: [[UInt8]] = []
        /// Headers of the commands that crossed the link unprotected.
        var plain: [[UInt8]] = []
        var change: Change?
        var refusal: Refusal?
        var requests = 0
        var hangs = false
        var abandoned = 0
        /// The entries that the user will type at the PIN pad.
        var typed: [Typing] = []
        /// The entries that the reader was asked for.
        var entries: [PINEntry] = []
    }

    /// The PIN pad; nil without one.
    package let pinPad: PINPad?

    /// Whether token and reader are one device on USB, so that no command reaches a card that replaced it.
    package let isUSB: Bool

    /// - Parameter serial: Nil for a random one.
    package init(
        _ identity: Identity, memory: any CardMemory = VolatileMemory(), passwords: [String] = [],
        serial: [UInt8]? = nil, isUSB: Bool = false, pinPad: PINPad? = nil
    ) throws {
        self.isUSB = isUSB
        self.pinPad = pinPad
        let card = try EmulatedCard(identity, memory: memory, activationPasswords: passwords, serial: serial)
        state = Lock(State(card: card))
    }

    /// The card in the reader, or that was in it.
    package var card: EmulatedCard { state.withLock { $0.card } }

    /// Everything that crossed the link, in both directions.
    package var conversation: [UInt8] { state.withLock { $0.conversation } }

    /// All commands as they crossed the link.
    package var sent: [[UInt8]] { state.withLock { $0.sent } }

    /// The number of commands that were sent.
    package var commands: Int { state.withLock { $0.commands } }

    /// The number of commands with this instruction byte, protected or not.
    package func count(of instruction: UInt8) -> Int { headers.count { $0[1] == instruction } }

    /// The number of transactions.
    package var transactions: Int { state.withLock { $0.transactions } }

    /// The headers of all commands.
    package var headers: [[UInt8]] { state.withLock { $0.headers } }

    /// The number of requests for a session, in plain, and for a session's renewal.
    package var openings: Int { headers.count { $0.starts(with: [0x80, 0x86, 0x03]) } }
    package var renewals: Int { headers.count { $0[0] & 0x8C == 0x8C && $0[1] == 0x86 && $0[2] == 0x03 } }

    /// Headers of the commands that crossed the link unprotected, except those that find, pair and open a channel
    /// (GSC/1, 6).
    package var plainCommands: [[UInt8]] {
        state.withLock { $0.plain }.filter { header in
            !header.starts(with: [0x80, 0xCA, 0x47]) && !header.starts(with: [0x80, 0x86]) && header[1] != 0xC0
        }
    }

    /// Has every response changed from now on, or none any more.
    package func onResponse(_ change: Change?) {
        state.withLock { state in
            state.commands = 0
            state.change = change
        }
    }

    /// Has requests refused from now on, or none any more.
    package func onRequest(_ refusal: Refusal?) {
        state.withLock { state in
            state.requests = 0
            state.refusal = refusal
        }
    }

    /// The user will type this at the PIN pad. Nothing is typed behind it.
    package func type(_ typing: Typing...) { state.withLock { $0.typed = typing } }

    /// The entries that the reader was asked for, and whether the user has typed all that was to be.
    package var entries: [PINEntry] { state.withLock { $0.entries } }
    package var isAllTyped: Bool { state.withLock { $0.typed.isEmpty } }

    /// The number of requests for a connection or a transaction since ``onRequest(_:)``.
    package var requests: Int { state.withLock { $0.requests } }

    private func request() throws(LinkError) {
        let (number, refusal) = state.withLock { state in
            state.requests += 1
            return (state.requests, state.refusal)
        }
        try refusal?(number)
    }

    /// The card answers nothing any more, and holds up the end of connections.
    package func hang() { state.withLock { $0.hangs = true } }

    /// The number of connections that were abandoned.
    package var abandoned: Int { state.withLock { $0.abandoned } }

    fileprivate var hangs: Bool { state.withLock { $0.hangs } }
    fileprivate func abandon() { state.withLock { $0.abandoned += 1 } }

    /// Another process resets the card.
    package func resetCard() {
        card.reset()
        state.withLock { state in
            state.isOff = false
            state.wasReset = true
        }
    }

    package func removeCard() {
        card.powerOff()
        state.withLock { state in
            state.isPresent = false
            state.isOff = false
            state.removals += 1
        }
    }

    /// Puts the card back, or another in its place.
    package func insertCard(_ other: EmulatedCard? = nil) {
        state.withLock { state in
            state.card = other ?? state.card
            state.isPresent = true
            state.wasReset = true
        }
    }

    /// Replaces the card in the reader, faster than the smart card service polls: it reports no change.
    package func swapCard(_ other: EmulatedCard) {
        card.powerOff()
        state.withLock { state in
            state.card = other
            state.isOff = isUSB
        }
    }

    /// The service counts an event in the reader, and connections live.
    package func countEvent() { state.withLock { $0.events += 1 } }

    /// The smart card service notices a swap in a reader on USB.
    package func noticeSwap() {
        state.withLock { state in
            guard state.isOff else { return }
            state.isOff = false
            state.removals += 1
        }
    }

    package func readers() throws(LinkError) -> [ReaderState] {
        let isPresent = state.withLock { $0.isPresent }
        let atr = isPresent ? card.identity.atr : nil
        return [ReaderState(name: Self.name, atr: atr, events: state.withLock { $0.removals })]
    }

    package func connect(to reader: String) throws(LinkError) -> any CardLink {
        try request()
        guard reader == Self.name, state.withLock({ $0.isPresent }) else { throw .noCard }
        return Link(reader: self, removals: state.withLock { $0.removals })
    }

    fileprivate var insertions: Int? { isUSB ? state.withLock { $0.removals + $0.events } : nil }

    fileprivate func takeReset(_ removals: Int) throws(LinkError) -> Bool {
        try request()
        return try state.withLock { state throws(LinkError) in
            guard state.isPresent, state.removals == removals else { throw .removed(sent: false) }
            defer { state.wasReset = false }
            state.transactions += 1
            return state.wasReset
        }
    }

    fileprivate func transmit(_ command: borrowing Command, _ removals: Int) throws(LinkError) -> Response {
        guard state.withLock({ $0.isPresent && $0.removals == removals }) else { throw .removed(sent: false) }
        guard !state.withLock({ $0.isOff }) else { throw .transmission(code: 0x8010_002F) }
        guard let sent = try? command.encoded() else { throw .malformed }
        let response = try card.transmit(command)
        let (number, change) = state.withLock { state in
            state.sent.append([UInt8](copying: sent))
            state.conversation += [UInt8](copying: sent) + response.encoded
            if command.cla & 0x0C == 0 { state.plain.append([command.cla, command.ins, command.p1, command.p2]) }
            state.commands += 1
            state.headers.append([command.cla, command.ins, command.p1, command.p2])
            return (state.commands, state.change)
        }
        return try change?(number, command.ins, response) ?? response
    }

    /// Sends the card the typed PIN, which does not cross the link.
    fileprivate func transmit(_ entry: PINEntry, _ removals: Int) throws(LinkError) -> Response {
        guard state.withLock({ $0.isPresent && $0.removals == removals }) else { throw .removed(sent: false) }
        let typing = state.withLock { state in
            state.entries.append(entry)
            state.headers.append([entry.cla, entry.ins, entry.p1, entry.p2])
            return state.typed.isEmpty ? Typing.refusal(.timedOut) : state.typed.removeFirst()
        }
        let data: [UInt8]
        do throws(PINEntry.Refusal) { data = try typing.data(for: entry) } catch {
            return Response(StatusWord(error.rawValue))
        }
        let response = try card.transmit(Command(entry.cla, entry.ins, entry.p1, entry.p2, bytes: data))
        let (number, change) = state.withLock { state in
            state.commands += 1
            return (state.commands, state.change)
        }
        return try change?(number, entry.ins, response) ?? response
    }

    private final class Link: CardLink {
        private let reader: EmulatedReader
        private let removals: Int

        init(reader: EmulatedReader, removals: Int) {
            self.reader = reader
            self.removals = removals
        }

        var atr: [UInt8] { reader.card.identity.atr }
        var maximumLength: Int { 65_544 }
        var insertions: Int? { reader.insertions }
        var pinPad: PINPad? { reader.pinPad }
        func beginTransaction() throws(LinkError) -> Bool { try reader.takeReset(removals) }
        func endTransaction() {}
        func canDisconnect(within limit: Duration) -> Bool { !reader.hangs }
        func disconnect() {}
        func abandon() { reader.abandon() }
        func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
            try reader.transmit(command, removals)
        }
        func transmit(_ entry: PINEntry) throws(LinkError) -> Response { try reader.transmit(entry, removals) }
    }
}

/// A directory for one test.
package final class Folder: Sendable {
    package let path: String

    package init() {
        path = FileManager.default.temporaryDirectory.appending(path: "kanal-\(UUID().uuidString)").path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
