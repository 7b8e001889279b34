// SPDX-License-Identifier: Apache-2.0
import APDU
import ChannelToken
import Foundation
import GOST
import Secrets
@testable import SecureChannel

/// The host's state machine: opening, messages, batches, renewal and closing over a link whose answers come from the
/// input, right or wrong. A channel that has received an untrusted reply is closed and sends nothing more; an open one
/// delivers only the token's replies.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHost(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let link = FuzzedLink(input, profile: input.first.map { $0 & 1 == 0 } ?? true ? 2 : 1)
    let suite: any Suite.Type = link.isModern ? ModernSuite.self : ClassicSuite.self
    let session = HostSession(
        suite: suite, channel: 0, seed: Secret(copying: link.seed), exporter: Secret(count: 32))
    let channel = SecureChannel(session, over: link, record: link.record, uptime: .system)
    while let step = link.next() { run(step, channel, link) }
    channel.close()
    guard !channel.isOpen else { fatalError("open after close") }
    return 0
}

private func run(_ step: UInt8, _ channel: SecureChannel, _ link: FuzzedLink) {
    let sent = link.sent
    let wasOpen = channel.isOpen
    link.delivered = true
    do {
        switch step % 8 {
        case 0: _ = try channel.pairedHosts()
        case 1: try channel.unpair(index: 2)
        case 2: _ = try channel.generateActivationPassword(slot: 1, charset: .letters, isOneTime: false)
        case 3: _ = try channel.transmit(batch())
        case 4:
            let data = [UInt8](repeating: step, count: Int(step) * 3)
            _ = try channel.transmit(Command(0x00, 0xD6, 0, 0, bytes: data, ne: 256))
        case 5: _ = try channel.transmit(Command(0x00, 0x20, 0, 2, bytes: [1, 2, 3, 4], ne: nil))
        default:
            let response = try channel.transmit(Command(0x00, 0xB0, 0, 0, ne: Int(step)))
            guard response.data.count <= 65_536 else { fatalError("more data than asked for") }
        }
        guard link.delivered else { fatalError("a reply was taken that the token did not send") }
    } catch {
        if !link.delivered, channel.isOpen { fatalError("open after a reply that no token sent") }
    }
    if !wasOpen, link.sent != sent { fatalError("a closed channel sent something") }
}

private func batch() -> Batch {
    var batch = Batch()
    batch.append(Command(0x00, 0x22, 0x41, 0xB6, bytes: [0x84, 1, 1]))
    batch.append(Command(0x00, 0xCA, 0x01, 0x81, ne: 8))
    return batch
}

/// Answers from the input: raw bytes, or the token's reply with contents, status word and changes from the input.
private final class FuzzedLink: CardConnection {
    let seed = [UInt8](repeating: 7, count: 32)
    let isModern: Bool
    let record: PairingRecord
    private var rest: ArraySlice<UInt8>
    private let token: TokenSide
    private(set) var sent = 0
    /// The reply that is given in pieces, and the part given so far.
    private var whole = Response(.success)
    private var fetched: [UInt8] = []
    /// Whether all replies so far are the token's own.
    var delivered = true

    init(_ input: [UInt8], profile: Int) {
        isModern = profile == 2
        rest = input.dropFirst()
        token = TokenSide(profile: profile, seed: seed)
        token.keepsCommands = false
        let capabilities =
            "e12b80054753432f3181080000000030abcdef820103830200ee840200ee850101860110870106880104890101"
        var bytes: [UInt8] = []
        var text = Substring(capabilities)
        while let byte = UInt8(text.prefix(2), radix: 16) {
            bytes.append(byte)
            text = text.dropFirst(2)
        }
        guard let parsed = try? Capabilities(parsing: bytes), let kind = Profile(rawValue: UInt8(profile)) else {
            fatalError("capabilities")
        }
        record = PairingRecord(
            profile: kind, capabilities: parsed, tokenKey: [], hostID: [UInt8](repeating: 1, count: 8), index: 1,
            created: 0)
    }

    func next() -> UInt8? { rest.popFirst() }

    private func take(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        sent += 1
        let kind = next() ?? 0
        if command.cla & 0x0C == 0 { return piece(Int(kind) % 64) }
        switch kind % 8 {
        case 0:
            delivered = false
            guard let response = Response(parsing: take(Int(next() ?? 0))) else { throw .malformed }
            return response
        case 1:
            delivered = false
            throw kind < 0x80 ? .removed(sent: true) : .reset
        case 2: return try changed(command)
        case 3: return try inPieces(command)
        default: return try honest(command)
        }
    }

    /// The token's reply with contents from the input.
    private func honest(_ command: borrowing Command) throws(LinkError) -> Response {
        let status = take(2)
        let data = take(Int(next() ?? 0))
        token.answer = { _ in .init(data: data, status: status.count == 2 ? status : [0x90, 0x00]) }
        let response = try token.transmit(command)
        guard token.refusals == 0 else { fatalError("the host's message is not properly protected") }
        return response
    }

    /// The token's reply with one bit changed.
    private func changed(_ command: borrowing Command) throws(LinkError) -> Response {
        var response = try honest(command)
        let byte = next() ?? 0
        let place = Int(byte) % response.data.count
        response.data[place] ^= 1 << (byte & 7)
        delivered = false
        return response
    }

    /// The beginning of the token's reply; the host must fetch the rest.
    private func inPieces(_ command: borrowing Command) throws(LinkError) -> Response {
        whole = try honest(command)
        fetched = Array(whole.data.prefix(Int(next() ?? 0)))
        return Response(StatusWord(0x61, next() ?? 0), data: fetched)
    }

    /// A further piece: of the token's reply, or of anything.
    private func piece(_ count: Int) -> Response {
        let isRest = count == 0
        let response =
            isRest
            ? Response(.success, data: Array(whole.data.dropFirst(fetched.count)))
            : Response(parsing: take(count)) ?? Response(.success)
        fetched += response.data
        if response.status.bytesAvailable == nil, Response(response.status, data: fetched) != whole {
            delivered = false
        }
        return response
    }
}
