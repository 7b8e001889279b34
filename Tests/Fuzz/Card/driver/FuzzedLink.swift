// SPDX-License-Identifier: Apache-2.0
import APDU
import ChannelToken
import Emulator
import Secrets

/// Answers from the input: the token's own, with changes, or raw bytes; in a channel, under its protection.
final class FuzzedLink: CardLink {
    private let card: EmulatedCard
    private var rest: ArraySlice<UInt8>
    private let channel: TokenSide?
    /// The number of commands that are answered.
    private var patience = 2000
    var isReset = false
    /// The answer to the query of the serial number, which begins each transaction without a channel; nil until it is
    /// known.
    var serial: [UInt8]?
    /// Whether RSA keys are really generated, which is slow.
    var makesKeys = false

    init(_ card: EmulatedCard, _ input: ArraySlice<UInt8>, isProtected: Bool) {
        self.card = card
        rest = input
        channel = isProtected ? TokenSide(Host.one.pairing) : nil
        channel?.keepsCommands = false
        channel?.answer = { [unowned self] command in reply(to: command) }
    }

    var atr: [UInt8] { card.identity.atr }

    func next() -> UInt8? { rest.popFirst() }

    func beginTransaction() throws(LinkError) -> Bool {
        defer { isReset = false }
        if isReset { card.reset() }
        return isReset
    }

    func endTransaction() {}
    func disconnect() {}

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        patience -= 1
        guard patience > 0 else { throw .removed(sent: false) }
        let isDiscovery = command.cla == 0x80 && command.ins == 0xCA && command.p1 == 0x47
        if let channel {
            if isDiscovery { return changed(Response(.success, data: Host.one.discovery)) }
            return try channel.transmit(command)
        }
        guard let encoded = try? command.encoded() else { throw .malformed }
        if let serial, channel == nil, [UInt8](copying: encoded) == [0x00, 0xCA, 0x01, 0x81, 0x08] {
            return Response(.success, data: serial)
        }
        if next(in: 0xF8...0xFF) { throw [LinkError.removed(sent: true), .reset, .malformed][Int(encoded.count) % 3] }
        return answer([UInt8](copying: encoded))
    }

    private func next(in range: ClosedRange<UInt8>) -> Bool { rest.first.map(range.contains) ?? false }

    private func answer(_ command: [UInt8]) -> Response {
        let isSlow = !makesKeys && command.count > 5 && command[1] == 0x46
        let response =
            isSlow
            ? Response(.success, data: [UInt8](repeating: 0xC1, count: 64))
            : Response(parsing: card.process(command)) ?? Response(.success)
        return changed(response)
    }

    /// The answer that is given in place of this one.
    private func changed(_ response: Response) -> Response {
        var response = response
        let kind = next() ?? 0
        switch kind {
        case 0x80..<0xA0: response = Response(.success, data: take(Int(kind & 0x1F)))
        case 0xA0..<0xB0: response = Response(.success, data: take(Int(next() ?? 0)))
        case 0xB0..<0xC0: response = Response(StatusWord(next() ?? 0x6A, next() ?? 0x82))
        case 0xC0..<0xD0:
            for _ in 0...(kind & 3) {
                let place = Int(next() ?? 0)
                let byte = next() ?? 0
                if !response.data.isEmpty { response.data[place % response.data.count] = byte }
            }
        case 0xD0..<0xD8: response.data = Array(response.data.prefix(Int(next() ?? 0)))
        case 0xD8..<0xE0: response.data += take(Int(next() ?? 0))
        case 0xE0..<0xE8: response.status = StatusWord(0x61, next() ?? 0)
        default: break
        }
        return response
    }

    private func take(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// The token's end of the channel: one command, or a batch.
    private func reply(to command: TokenSide.Received) -> TokenSide.Reply {
        guard command.header[1] == 0x86, command.header[2] & 0xFE == 0x20 else {
            let response = answer(encoded(command))
            return TokenSide.Reply(data: response.data, status: [response.status.sw1, response.status.sw2])
        }
        var cursor = ByteCursor(command.data)
        var data: [UInt8] = []
        while let part = try? cursor.object(0xB0) {
            let response = answer(part)
            data += .object(0xB1, response.encoded)
            if command.header[2] == 0x20, response.status != .success { break }
        }
        return TokenSide.Reply(data: data)
    }

    private func encoded(_ command: TokenSide.Received) -> [UInt8] {
        let count = command.data.count
        let body = count == 0 ? [] : [UInt8(truncatingIfNeeded: count)] + command.data
        return command.header + body + (command.le.map { [$0.last ?? 0] } ?? [])
    }
}
