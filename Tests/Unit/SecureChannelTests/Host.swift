// SPDX-License-Identifier: Apache-2.0
import APDU
import ChannelToken
import Foundation
import GOST
import Locking
import Secrets
import SecureChannel
import Storage
import TestSupport
import Testing

/// A host with a store of its own and the long-term key of one set of vectors and profile (`gsc1.json`).
final class Host {
    let set: JSON
    let profile: Profile
    /// The vectors of the profile.
    let vectors: JSON
    let store: PairingStore
    let path: String
    let capabilities: Capabilities
    let instance: Instance

    /// A host that is not paired.
    init(set name: String = "A", profile: Profile = .classic) throws {
        let file = try JSON(vectors: "gsc1.json")
        set = file.sets[name]
        self.profile = profile
        vectors = profile == .classic ? set.profiles.classic : set.profiles.modern
        path = "/tmp/kanal-pairing-\(UUID().uuidString)"
        let directory = try Directory(path: path, create: true)
        try directory.write("host.0\(profile.rawValue)", vectors.h.bytes.span)
        store = PairingStore(directory: directory)
        capabilities = try Capabilities(parsing: set.E1.bytes)
        instance = try Instance(
            random: FixedRandom(vectors.open.INST.isNull ? [UInt8](repeating: 0, count: 8) : vectors.open.INST.bytes))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The host's random numbers for the opening of the vectors.
    var openingRandom: [UInt8] { profile == .classic ? vectors.open.C_H.bytes : vectors.open.e_H.bytes }

    /// The contribution of one side, from its random numbers.
    func contribution(_ drawn: [UInt8]) throws -> [UInt8] {
        guard profile == .modern else { return drawn }
        return try PrivateKey(curve: .tc26256B, scalar: Secret(copying: drawn)).publicKey().bytes
    }

    /// The host's random numbers for the pairing of the vectors.
    var pairingRandom: [UInt8] { profile == .classic ? vectors.pairing.R_H.bytes : vectors.pairing.alpha.bytes }

    /// The record that the pairing of the vectors leaves.
    var record: PairingRecord {
        PairingRecord(
            profile: profile, capabilities: capabilities, tokenKey: vectors.T_pub.bytes, hostID: vectors.ID_H.bytes,
            index: 1, created: 0)
    }

    /// The stored record of the token.
    var storedRecord: PairingRecord? {
        get throws { try store.record(serial: capabilities.serial, profile: profile) }
    }

    /// The files of the store's tokens.
    var tokenFiles: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path + "/tokens")) ?? [] }

    /// E3 of the slot of the password.
    var slotInformation: String {
        let slot = vectors.pairing.slot.number ?? 0
        let fields: [[UInt8]] = [
            .object(0x80, [UInt8(slot)]), .object(0x81, [1]), .object(0x82, [3]), .object(0x83, set.salt.bytes),
            .object(0x84, [1]), .object(0x85, [5]), .object(0x86, [10]), .object(0x87, [3, 0xE8]),
        ]
        return ([UInt8].object(0xE3, Array(fields.joined())) + [0x90, 0x00]).hex
    }

    /// E1 ‖ E2 as discovery gives it.
    var discovery: String {
        let hints: [[UInt8]] = [
            .object(0x80, [1]), .object(0x81, [UInt8](repeating: 1, count: capabilities.slots)),
            .object(0x82, Array("token".utf8)),
        ]
        return (capabilities.bytes + .object(0xE2, Array(hints.joined())) + [0x90, 0x00]).hex
    }

    /// A hexadecimal field of the pairing or opening.
    func text(_ json: JSON) throws -> String { try #require(json.text) }

    /// Lets the card expect the reading of E3, in the pairing.
    func expectSlot(_ card: ScriptedCard) {
        card.expect("80ca470\(vectors.pairing.slot.number ?? 0)00", reply: slotInformation)
    }

    /// Lets the card expect an opening as in the vectors.
    func expectOpening(_ card: ScriptedCard) throws {
        card.expect(try text(vectors.open.open1_command), reply: try text(vectors.open.open1_response))
        card.expect(try text(vectors.open.open2_command), reply: try text(vectors.open.open2_response))
    }

    /// Pairs with the numbers of `random` and opens the first session.
    ///
    /// - Parameter store: Another than the host's own.
    func activate(
        over card: any CardConnection, password: String? = nil, random: any RandomSource, uptime: Uptime = .system,
        in store: PairingStore? = nil
    ) throws -> SecureChannel {
        let text = Array((password ?? set.password.text ?? "").utf8)
        try (store ?? self.store).prepare(for: profile, random: random)
        return try SecureChannel.activate(
            with: ActivationPassword(text.span), over: card, capabilities: capabilities, profile: profile,
            label: String(decoding: vectors.pairing.label_utf8.bytes, as: UTF8.self), store: store ?? self.store,
            instance: instance, random: random, uptime: uptime)
    }

    /// Opens a session as in the vectors.
    func open(over line: Line) throws -> SecureChannel {
        let card = ScriptedCard()
        try expectOpening(card)
        line.card = card
        return try SecureChannel.open(
            over: line, record: record, store: store, instance: instance, random: FixedRandom(openingRandom))
    }
}

/// A link whose other end can be exchanged.
final class Line: CardConnection {
    var card: any CardConnection = ScriptedCard()

    /// Called with the header of each command before it is passed on.
    var before: ([UInt8]) -> Void = { _ in }

    /// Called with the data of each command before it is passed on.
    var seen: ([UInt8]) -> Void = { _ in }

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        seen(command.data.bytes.indices.map { command.data.bytes[$0] })
        before([command.cla, command.ins, command.p1, command.p2])
        return try card.transmit(command)
    }
}

/// A channel that was opened as in the vectors, and a token that goes on from there.
struct OpenChannel {
    let host: Host
    let line = Line()
    let channel: SecureChannel
    let token: TokenSide

    init(_ profile: Profile, set: String = "A") throws {
        host = try Host(set: set, profile: profile)
        channel = try host.open(over: line)
        token = host.tokenSide()
        line.card = token
    }
}

extension Host {
    /// The other end of the session of the vectors after `number` commands.
    func tokenSide(after number: Int = 0) -> TokenSide {
        TokenSide(profile: Int(profile.rawValue), seed: vectors.open.S_0.bytes, after: UInt32(number))
    }
}

extension Host {
    /// A token that is paired with this host, and opens sessions with fresh contributions.
    func token(capabilities: Capabilities? = nil) -> TokenSide {
        let capabilities = capabilities ?? self.capabilities
        return TokenSide(
            TokenPairing(
                profile: Int(profile.rawValue), capabilities: capabilities.bytes, serial: capabilities.serial,
                sessions: capabilities.sessions, hostID: vectors.ID_H.bytes, hostKey: vectors.H_pub.bytes,
                scalar: vectors.t.bytes))
    }

    /// Opens a session with such a token.
    func openSession(over link: any CardConnection, uptime: Uptime = .system) throws -> SecureChannel {
        try SecureChannel.open(
            over: link, record: record, store: store, instance: instance, random: SystemRandom(), uptime: uptime)
    }
}

extension SecureChannel {
    /// Sends a command that is given in hexadecimal.
    func transmit(_ hex: String) throws -> Response {
        let bytes = [UInt8](hex: hex)
        return try transmit(Command(parsing: bytes.span))
    }
}

/// A host that is not paired, and the card that it pairs with.
struct PairingScene {
    let host: Host
    let card = ScriptedCard()

    init(_ profile: Profile, set: String = "A") throws { host = try Host(set: set, profile: profile) }

    /// Expects the whole pairing, with another answer to PAIR-1 or PAIR-2 where given.
    func expectPairing(first: String? = nil, second: String? = nil) throws {
        let pairing = host.vectors.pairing
        host.expectSlot(card)
        card.expect(try host.text(pairing.pair1_command), reply: try first ?? host.text(pairing.pair1_response))
        if first != nil { return }
        card.expect(try host.text(pairing.pair2_command), reply: try second ?? host.text(pairing.pair2_response))
    }

    func activate(password: String? = nil) throws -> SecureChannel {
        try host.activate(
            over: card, password: password, random: FixedRandom(host.pairingRandom, host.openingRandom))
    }

    func expectFailure(_ error: ChannelError, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(throws: error, sourceLocation: sourceLocation) { try activate() }
        #expect(card.isFinished, sourceLocation: sourceLocation)
        #expect(host.tokenFiles.isEmpty, "nothing is stored", sourceLocation: sourceLocation)
    }
}
