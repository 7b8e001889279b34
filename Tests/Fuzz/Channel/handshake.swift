// SPDX-License-Identifier: Apache-2.0
import APDU
import Locking
@testable import SecureChannel

/// The replies of a token to pairing and opening: refused with a typed error, or read with every field as long as it must
/// be. The first byte chooses the parser.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHandshake(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let data = Array(input.dropFirst())
    let profile: Profile = first & 0x10 == 0 ? .classic : .modern
    let card = Card(data)
    let link = PairingLink(card, profile: profile, uptime: .system)
    let size = profile == .classic ? 16 : 64
    switch first % 6 {
    case 0:
        let slot = first >> 5 % 6 + 1
        if let slot = try? SlotInformation.read(slot: slot, over: card) { expect(slot.salt.count == 16) }
    case 1:
        let parties = PairingParties(slot: 1, salt: [], hostID: [], tokenID: [])
        if let value = try? link.exchangeValues([UInt8](repeating: 0, count: size), of: parties) {
            expect(value.count == size && value.contains { $0 != 0 })
        }
    case 2:
        if let reply = try? link.exchangeData([], code: [], tag: 0x84) { expect(reply.code.count == 32) }
    case 3:
        if let reply = try? SecureChannel.read(data, suite: profile.suite) {
            expect(reply.index >= 1 && reply.tokenKey.bytes.count == 64)
        }
    case 4:
        if let reply = try? Opening.readFirst(Response(.success, data: data), count: size) {
            expect(reply.contribution.count == size && reply.code.count == 16)
        }
    default:
        let sessions = first >> 6 + 1
        if let channel = try? Opening.readSecond(Response(.success, data: data), sessions: sessions) {
            expect(channel < sessions && (sessions > 1 || data.isEmpty))
        }
    }
    return 0
}

private func expect(_ isTrue: Bool) {
    guard isTrue else { fatalError("a reply that was taken is not as it must be") }
}

/// Answers every command with these data.
private final class Card: CardConnection {
    private let data: [UInt8]
    init(_ data: [UInt8]) { self.data = data }
    func transmit(_ command: borrowing Command) throws(LinkError) -> Response { Response(.success, data: data) }
}
