// SPDX-License-Identifier: Apache-2.0
import APDU
import ChannelToken
import Foundation
import GOST
import Secrets
import SecureChannel
import Storage

/// A host that is paired with a token in the same process.
final class BenchmarkHost {
    let store: PairingStore
    let watch: Stopwatch
    private let record: PairingRecord
    private let instance: Instance
    private let path: String

    init(_ profile: Profile) throws {
        path = FileManager.default.temporaryDirectory.path + "/kanal-benchmark-\(UUID().uuidString)"
        let directory = try Directory(path: path, create: true)
        let curve = profile == .modern ? Curve.tc26256B : .cryptoProA
        let random = SystemRandom()
        let hostKey = try PrivateKey.generate(on: curve, random: random)
        let tokenKey = try PrivateKey.generate(on: curve, random: random)
        try directory.write("host.0\(profile.rawValue)", hostKey.scalar.bytes)
        store = PairingStore(directory: directory)
        instance = try Instance(random: random)

        let sizes: [UInt8] = [0x83, 2, 0, 238, 0x84, 2, 0, 238, 0x85, 1, 0, 0x86, 1, 16, 0x87, 1, 6, 0x88, 1, 4]
        let serial: [UInt8] = [0, 0, 0, 0, 1, 2, 3, 4]
        let head: [UInt8] = .object(0x80, Array("GSC/1".utf8)) + .object(0x81, serial)
        let capabilities: [UInt8] = .object(0xE1, head + [0x82, 1, 3] + sizes)
        let hostPublicKey = try hostKey.publicKey().bytes
        let hash = profile == .modern ? Streebog256.hash(hostPublicKey) : GOSTR341194.hash(hostPublicKey)
        let hostID = Array(hash.prefix(8))
        let token = TokenSide(
            TokenPairing(
                profile: Int(profile.rawValue), capabilities: capabilities, serial: serial, sessions: 4, hostID: hostID,
                hostKey: hostPublicKey, scalar: [UInt8](copying: tokenKey.scalar)))
        token.keepsCommands = false
        watch = Stopwatch(token)
        record = PairingRecord(
            profile: profile, capabilities: try Capabilities(parsing: capabilities),
            tokenKey: try tokenKey.publicKey().bytes, hostID: hostID, index: 1, created: 0)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func open() throws -> SecureChannel {
        try SecureChannel.open(
            over: watch, record: record, store: store, instance: instance, random: SystemRandom())
    }
}

/// Takes the processor time of the host's end: the clock is stopped while the token works.
final class Stopwatch: CardConnection {
    let token: TokenSide
    private var elapsed = 0.0
    private var begin = 0.0

    init(_ token: TokenSide) { self.token = token }

    func start() {
        elapsed = 0
        begin = Stopwatch.processorTime()
    }

    /// The seconds since ``start()``.
    func stop() -> Double { elapsed + Stopwatch.processorTime() - begin }

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        elapsed += Stopwatch.processorTime() - begin
        defer { begin = Stopwatch.processorTime() }
        return try token.transmit(command)
    }

    private static func processorTime() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
