// SPDX-License-Identifier: Apache-2.0
import APDU
import KanalKit
import Secrets
import Storage
import TokenEnd

/// The far side of a share: only commands of the channel reach a token, and every command is answered. The first byte
/// chooses the way. Each command has its length before it; length 0 resets the card, and length 255 begins the next
/// answer of the token, which may be nonsense too.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFar(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var cursor = ByteCursor(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    guard let first = try? cursor.byte() else { return 0 }
    let token = FuzzedToken()
    let isThrough = first & 1 == 0
    guard let card: any RemoteCard = isThrough ? PassingCard(token, report: { _ in }) : terminating(token) else {
        return 0
    }
    token.sent = []
    while let length = try? cursor.byte() {
        switch length {
        case 0: card.reset()
        case 255:
            let size = Int((try? cursor.byte()) ?? 0)
            token.answer = (try? cursor.bytes(size)) ?? cursor.rest()
        default:
            let command = (try? cursor.bytes(Int(length))) ?? cursor.rest()
            let answer = card.answer(command)
            guard answer == nil || (answer?.count ?? 0) >= 2 else { fatalError("a command without an answer") }
        }
    }
    for header in token.sent {
        let isChannels =
            header[0] & 0x6C == 0x0C || header.starts(with: [0x80, 0xCA, 0x47]) || header[1] == 0xC0
            || header[0] == 0x80 && header[1] == 0x86 && (1...4).contains(header[2])
        guard isThrough && isChannels else { fatalError("\(header) reached the token") }
    }
    return 0
}

private func terminating(_ link: FuzzedToken) -> TerminatingCard? {
    guard let local = try? LocalToken(link, reader: "reader"), let records,
        let state = try? ChannelState(TerminatingCard.offer, random: SystemRandom())
    else { return nil }
    let policy = SharePolicy(report: { _ in })
    return TerminatingCard(SharedCard(local, state, records: records, policy: policy, pause: { _ in }))
}

private let records = try? ShareRecords(
    path: ".build/fuzz/far/records", serial: [0, 0, 0, 0, 0x0E, 0, 0, 1])

private final class FuzzedToken: OwnedCard {
    var sent: [[UInt8]] = []
    var answer: [UInt8] = []
    let atr: [UInt8] = []
    let isThere = true

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        sent.append([command.cla, command.ins, command.p1, command.p2])
        if !answer.isEmpty {
            defer { answer = [] }
            guard let response = Response(parsing: answer) else { throw .malformed }
            return response
        }
        if command.ins == 0xCA, command.p1 == 0x01 { return Response(.success, data: [0x0E, 0, 0, 1]) }
        return Response(.instructionNotSupported)
    }

    func reset() throws(LinkError) {}
    func giveBack() {}
}
