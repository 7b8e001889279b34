// SPDX-License-Identifier: Apache-2.0
import APDU
import Cryptoki
import EmulatedTokens
import Foundation
import Locking
import Secrets
import SecureChannel
import TestSupport
import Testing
import Token

/// A card without a channel that gives a test's answers, in a reader of its own, and counts its commands.
final class HostileCard: ReaderService, Sendable {
    struct State {
        /// The content of files by their path; nil for a file that is not there.
        var content: @Sendable ([UInt16]) -> [UInt8]? = { _ in nil }
        var isContactless = false
        /// The greatest number of bytes in one answer.
        var pieces = 256
        var selected: [UInt8] = []
        var headers: [[UInt8]] = []
        var sent = 0
    }

    private let atr: [UInt8]
    private let state = Lock(State())

    init(atr: [UInt8] = [0x3B, 0x8B, 0x01] + "Rutoken DS ".utf8 + [0xC1]) { self.atr = atr }

    var isContactless: Bool {
        get { state.withLock { $0.isContactless } }
        set { state.withLock { $0.isContactless = newValue } }
    }
    /// The headers of all commands.
    var headers: [[UInt8]] { state.withLock { $0.headers } }
    /// The number of bytes of files that were sent.
    var sent: Int { state.withLock { $0.sent } }

    /// Gives files this content from now on.
    func give(pieces: Int = 256, _ content: @escaping @Sendable ([UInt16]) -> [UInt8]?) {
        state.withLock { state in
            state.content = content
            state.pieces = pieces
        }
    }

    func application(_ configure: (inout TokenSettings) -> Void = { _ in }) -> Application {
        let folder = Folder()
        var settings = TokenSettings(
            pairings: .directory(folder.path), hostLabel: "test", random: SystemRandom(), log: Journal().logger)
        configure(&settings)
        return Application(self, store: folder, settings: settings)
    }

    func readers() throws(LinkError) -> [ReaderState] { [ReaderState(name: "Reader 00 00", atr: atr, events: 0)] }
    func connect(to reader: String) throws(LinkError) -> any CardLink { Link(card: self) }

    private func answer(_ header: [UInt8], _ data: [UInt8], _ ne: Int) -> Response {
        state.withLock { state in
            state.headers.append(header)
            switch (header[0], header[1]) {
            case (0x00, 0xA4):
                var identifiers: [UInt16] = []
                for index in stride(from: 0, to: data.count - 1, by: 2) {
                    identifiers.append(UInt16(data[index]) << 8 | UInt16(data[index + 1]))
                }
                guard let content = state.content(identifiers) else { return Response(.fileNotFound) }
                state.selected = content
                let size = [UInt8(truncatingIfNeeded: content.count >> 8), UInt8(truncatingIfNeeded: content.count)]
                return Response(.success, data: .object(0x62, .object(0x80, size)))
            case (0x00, 0xB0):
                let offset = Int(header[2]) << 8 | Int(header[3])
                guard offset < state.selected.count else { return Response(StatusWord(0x6B00)) }
                let piece = Array(state.selected[offset...].prefix(min(ne, state.pieces)))
                state.sent += piece.count
                return Response(.success, data: piece)
            case (0x00, 0xCA) where header[3] == 0x81: return Response(.success, data: [0, 0, 0, 0, 0x0E, 1, 2, 3])
            case (0x00, 0xCA) where header[3] == 0x32: return Response(.success, data: [0, 0, 0, 1])
            case (0x80, 0xCA): return Response(StatusWord(0x6A88))
            default: return Response(StatusWord(0x6D00))
            }
        }
    }

    private final class Link: CardLink {
        private let card: HostileCard

        init(card: HostileCard) { self.card = card }

        var atr: [UInt8] { card.atr }
        var isContactless: Bool { card.isContactless }
        func beginTransaction() throws(LinkError) -> Bool { false }
        func endTransaction() {}
        func disconnect() {}
        func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
            let data = command.data.bytes.indices.map { command.data.bytes[$0] }
            return card.answer([command.cla, command.ins, command.p1, command.p2], data, command.ne ?? 0)
        }
    }
}
