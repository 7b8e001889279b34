// SPDX-License-Identifier: Apache-2.0
import APDU
import ChannelToken
import Foundation
import GOST
import Logging
import Secrets
import SecureChannel
import Storage
import Token

/// A host that is paired with a token whose commands may travel in batches.
final class Host: Sendable {
    static let one = Host()

    let pairing: TokenPairing
    /// The token's answer to GET CAPABILITIES.
    let discovery: [UInt8]
    private let path = FileManager.default.temporaryDirectory.path + "/kanal-fuzz-\(UUID().uuidString)"

    private init() {
        do {
            let directory = try Directory(path: path, create: true)
            let hostKey = try PrivateKey.generate(on: .tc26256B, random: SystemRandom())
            let tokenKey = try PrivateKey.generate(on: .tc26256B, random: SystemRandom())
            try directory.write("host.02", hostKey.scalar.bytes)
            let serial: [UInt8] = [0, 0, 0, 0, 1, 2, 3, 4]
            let sizes: [UInt8] = [0x83, 2, 8, 0, 0x84, 2, 8, 0, 0x85, 1, 0, 0x86, 1, 16, 0x87, 1, 6, 0x88, 1, 4]
            let head: [UInt8] = .object(0x80, Array("GSC/1".utf8)) + .object(0x81, serial)
            let capabilities: [UInt8] = .object(0xE1, head + [0x82, 1, 3] + sizes + [0x89, 1, 1])
            discovery = capabilities + .object(0xE2, [0x80, 1, 0, 0x81, 6, 1, 1, 0, 0, 0, 0, 0x82, 1, 0x41])
            let publicKey = try hostKey.publicKey().bytes
            let hostID = Array(Streebog256.hash(publicKey).prefix(8))
            pairing = TokenPairing(
                profile: 2, capabilities: capabilities, serial: serial, sessions: 4, hostID: hostID,
                hostKey: publicKey, scalar: [UInt8](copying: tokenKey.scalar))
            let record = PairingRecord(
                profile: .modern, capabilities: try Capabilities(parsing: capabilities),
                tokenKey: try tokenKey.publicKey().bytes, hostID: hostID, index: 1, created: 0)
            try PairingStore(directory: directory).save(record)
            atexit { Host.one.forget() }
        } catch {
            fatalError("\(error)")
        }
    }

    private func forget() { try? FileManager.default.removeItem(atPath: path) }

    /// New ones know no token yet.
    func settings() -> TokenSettings {
        TokenSettings(
            pairings: .directory(path), hostLabel: "fuzz", random: SystemRandom(),
            log: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() })
    }
}
