// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import Foundation
import KanalKit
import Locking
import TestSupport
import TokenEnd

/// A token that is shared, a link, a far end or none, and the reader beyond, each in a thread: the link counts commands.
final class FarMachine: ReaderService, @unchecked Sendable {
    /// What the link does with the first answer that is longer than a short APDU.
    enum Fault: Sendable, CaseIterable { case none, halved, changed, shortened, lost }

    let token: EmulatedLink
    private let share: TokenShare
    private let far: RemoteEnd?
    private let link: (near: Peer, far: Peer)
    private let reader: Peer
    private let state = Lock(State())
    private let password: Lock<String?>
    private let folder = Folder()

    private struct State {
        var trips = 0
        var fault = Fault.none
        var faults = 0
    }

    init(_ identity: Identity, hasFarEnd: Bool = true) throws {
        let passwords = identity.channel == nil ? [] : [EmulatedReader.password]
        let readers = OneReader(try EmulatedCard(identity, activationPasswords: passwords))
        token = readers.link
        let (near, nearPort) = try Peer.listener()
        defer { close(near) }
        var settings = Share.Settings()
        settings.port = nearPort
        let password = Lock<String?>(nil)
        self.password = password
        let share = TokenShare(
            settings, directory: folder.path + "/shares", readers: readers, clocks: TestTime().clocks
        ) { event in
            if case .password(let text) = event { password.withLock { $0 = text } }
        }
        self.share = share
        Thread.detachNewThread { try? share.run() }
        let accepted = Peer(descriptor: accept(near, nil, nil))
        if hasFarEnd {
            let (end, other) = try Peer.pair()
            let (listener, port) = try Peer.listener()
            defer { close(listener) }
            let far = RemoteEnd(host: "127.0.0.1", port: port, clocks: TestTime().clocks)
            self.far = far
            Thread.detachNewThread {
                try? far.run(input: end.descriptor, output: end.descriptor)
                end.end()
            }
            link = (accepted, other)
            reader = Peer(descriptor: accept(listener, nil, nil))
        } else {
            let (end, other) = try Peer.pair()
            far = nil
            link = (accepted, other)
            reader = end
        }
        Thread.detachNewThread { [link, state] in
            while let frame = link.far.receive() {
                if frame.count > 1 { state.withLock { $0.trips += 1 } }
                guard link.near.pass(frame) else { break }
            }
            link.near.end()
        }
        Thread.detachNewThread { [link, state] in
            while let frame = link.near.receive(), Self.passOn(frame, to: link.far, state) {}
            link.far.end()
        }
        reader.send([0x01])
    }

    deinit {
        share.cancel()
        far?.cancel()
        for peer in [link.near, link.far, reader] { peer.end() }
    }

    /// The commands that crossed the link.
    var trips: Int { state.withLock { $0.trips } }
    /// The answers that the link has spoilt.
    var faults: Int { state.withLock { $0.faults } }
    /// The share's activation password.
    var activationPassword: String { password.withLock { $0 } ?? "" }

    /// Spoils the next long answer.
    func spoil(_ fault: Fault) { state.withLock { $0.fault = fault } }

    /// - Returns: Whether the connection goes on.
    private static func passOn(_ frame: [UInt8], to far: Peer, _ state: Lock<State>) -> Bool {
        let fault = state.withLock { state in
            guard frame.count > 258 else { return Fault.none }
            defer { state.fault = .none }
            state.faults += state.fault == .none ? 0 : 1
            return state.fault
        }
        switch fault {
        case .none: return far.pass(frame)
        case .halved:
            far.write([UInt8(frame.count >> 8), UInt8(frame.count & 0xFF)] + frame.prefix(frame.count / 2))
            return false
        case .changed:
            var changed = frame
            changed[frame.count / 2] ^= 1
            return far.pass(changed)
        case .shortened: return far.pass(Array(frame.prefix(frame.count / 2)) + [0x90, 0x00])
        case .lost: return false
        }
    }

    func readers() throws(LinkError) -> [ReaderState] { [ReaderState(name: "far", atr: token.atr, events: 1)] }

    func connect(to reader: String) throws(LinkError) -> any CardLink {
        let peer = self.reader
        return FarLink(token.atr) { apdu in peer.pass(apdu) ? peer.receive() : nil }
    }
}
