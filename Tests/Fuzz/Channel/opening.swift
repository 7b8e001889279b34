// SPDX-License-Identifier: Apache-2.0
import APDU
import ChannelToken
import Foundation
import GOST
import Secrets
import SecureChannel
import Storage

/// The host's state machine from the opening on, over a link whose answers are right, have one bit changed, or are
/// arbitrary. Only the token's own answer to OPEN-1 opens a session, and only its own replies are delivered; an opening
/// that fails sends five commands at most.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOpening(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let host = input.first.map { $0 & 1 == 0 } ?? true ? Host.modern : Host.classic
    let link = DamagedLink(host.token(), input.dropFirst())
    guard let channel = try? host.open(over: link) else {
        guard link.count <= 5, !link.damaged.isEmpty else { fatalError("failed although the token answered") }
        return 0
    }
    if link.damaged.contains(0x03) { fatalError("opened by a token that does not know the key") }
    // The reply to OPEN-2 is not authenticated, and the channel in it shows only later.
    guard !link.damaged.contains(0x04) else { return 0 }
    for _ in 0..<3 where channel.isOpen { use(channel, host, link) }
    channel.close()
    return 0
}

/// One message and one renewal.
private func use(_ channel: SecureChannel, _ host: Host, _ link: DamagedLink) {
    link.damaged = []
    do {
        _ = try channel.transmit(Command(0x00, 0x84, 0x00, 0x00, ne: 8))
        try channel.renew(store: host.store, random: SystemRandom())
        guard link.damaged.isEmpty else { fatalError("a reply was taken that the token did not send") }
    } catch {
        guard !channel.isOpen, !link.damaged.isEmpty else { fatalError("\(error), and open: \(channel.isOpen)") }
    }
}

/// A host that is paired in one profile.
private final class Host: Sendable {
    static let modern = Host(.modern)
    static let classic = Host(.classic)

    let store: PairingStore
    private let record: PairingRecord
    private let pairing: TokenPairing
    private let instance: Instance
    private let files: String

    private init(_ profile: Profile) {
        do {
            let path = FileManager.default.temporaryDirectory.path + "/kanal-fuzz-\(UUID().uuidString)"
            let directory = try Directory(path: path, create: true)
            let curve = profile == .modern ? Curve.tc26256B : .cryptoProA
            let hostKey = try PrivateKey.generate(on: curve, random: SystemRandom())
            let tokenKey = try PrivateKey.generate(on: curve, random: SystemRandom())
            try directory.write("host.0\(profile.rawValue)", hostKey.scalar.bytes)
            store = PairingStore(directory: directory)
            instance = try Instance(random: SystemRandom())

            let serial: [UInt8] = [0, 0, 0, 0, 1, 2, 3, 4]
            let sizes: [UInt8] = [0x83, 2, 0, 238, 0x84, 2, 0, 238, 0x85, 1, 0, 0x86, 1, 16, 0x87, 1, 6, 0x88, 1, 4]
            let head: [UInt8] = .object(0x80, Array("GSC/1".utf8)) + .object(0x81, serial)
            let capabilities: [UInt8] = .object(0xE1, head + [0x82, 1, 3] + sizes)
            let publicKey = try hostKey.publicKey().bytes
            let hash = profile == .modern ? Streebog256.hash(publicKey) : GOSTR341194.hash(publicKey)
            pairing = TokenPairing(
                profile: Int(profile.rawValue), capabilities: capabilities, serial: serial, sessions: 4,
                hostID: Array(hash.prefix(8)), hostKey: publicKey, scalar: [UInt8](copying: tokenKey.scalar))
            record = PairingRecord(
                profile: profile, capabilities: try Capabilities(parsing: capabilities),
                tokenKey: try tokenKey.publicKey().bytes, hostID: Array(hash.prefix(8)), index: 1, created: 0)
            atexit { for host in [Host.modern, Host.classic] { host.forget() } }
            files = path
        } catch {
            fatalError("\(error)")
        }
    }

    private func forget() { try? FileManager.default.removeItem(atPath: files) }

    func token() -> TokenSide { TokenSide(pairing) }

    func open(over link: any CardConnection) throws -> SecureChannel {
        try SecureChannel.open(over: link, record: record, store: store, instance: instance, random: SystemRandom())
    }
}

/// A link to a token that damages the parts that the input selects.
private final class DamagedLink: CardConnection {
    private let token: TokenSide
    private var input: ArraySlice<UInt8>
    private(set) var count = 0
    /// P1 of the commands whose replies were not the token's own.
    var damaged: Set<UInt8> = []

    init(_ token: TokenSide, _ input: ArraySlice<UInt8>) {
        self.token = token
        self.input = input
    }

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        count += 1
        var response = try token.transmit(command)
        let kind = input.popFirst() ?? 0xFF
        switch kind {
        case 0..<0x20:
            damaged.insert(command.p1)
            response = Response(parsing: Array(input.prefix(Int(kind)))) ?? Response(.success)
            input = input.dropFirst(Int(kind))
        case 0x20..<0x60:
            let place = Int(input.popFirst() ?? 0)
            guard !response.data.isEmpty else { break }
            damaged.insert(command.p1)
            response.data[place % response.data.count] ^= 1 << (kind & 7)
        case 0x60..<0x70:
            damaged.insert(command.p1)
            throw .removed(sent: true)
        default: break
        }
        return response
    }
}
