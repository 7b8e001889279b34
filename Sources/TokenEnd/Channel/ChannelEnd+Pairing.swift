// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets

/// Pairing (GSC/1, 7 and 8).
extension ChannelEnd {
    /// PAIR-1: the try is spent and in the memory before anything is computed from the password.
    func beginPairing(_ command: borrowing Command) throws(Refusal) -> Response {
        let profile = try profile(command.p2)
        guard let request = try? PairingRequest([UInt8](copying: command.data), profile) else {
            throw Refusal(.incorrectData)
        }
        try require((1...offer.slots).contains(request.slot), else: .incorrectData)
        try require(request.hostIdentity != card.serial, else: .incorrectData)
        try require(!offer.isPairingForbidden, else: .conditionsNotSatisfied)
        let slot = try readySlot(request.slot)
        guard let verifier = slot.verifiers[profile] else { throw Refusal(.functionNotSupported) }
        try require(profile.suite.isValid(share: request.share), else: .incorrectData)

        state.slots[request.slot - 1]?.triesInARow -= 1
        state.slots[request.slot - 1]?.failuresLeft -= 1
        state.slots[request.slot - 1]?.attemptsLeft -= 1
        try card.commit()

        let terms = PairingTerms(
            slot: request.slot, hostIdentity: request.hostIdentity, tokenIdentity: card.serial, salt: slot.salt,
            hostShare: request.share, verifier: verifier)
        guard let run = try? profile.suite.pair(terms, random: card.random) else { throw Refusal(.memoryUnchanged) }
        try require(run.share != request.share, else: .conditionsNotSatisfied)
        handshake = .pairing(
            Pairing(profile: profile, slot: request.slot, hostIdentity: request.hostIdentity, run: run))
        return Response(.success, data: .object(0x7C, .object(0x82, run.share)))
    }

    private func readySlot(_ number: Int) throws(Refusal) -> ActivationSlot {
        guard let slot = state.slots[number - 1] else { throw Refusal(.referenceDataNotUsable) }
        switch slot.condition {
        case .ready: return slot
        case .blocked, .exhausted: throw Refusal(.authenticationBlocked)
        case .consumed: throw Refusal(.referenceDataNotUsable)
        }
    }

    /// PAIR-2: verifies the host, writes its record as pending, and answers with the token's key.
    func completePairing(_ command: borrowing Command, handshake: Handshake?) throws(Refusal) -> Response {
        guard let profile = ChannelProfile(rawValue: command.p2) else { throw Refusal(.incorrectParameters) }
        guard case .pairing(let pairing) = handshake, pairing.profile == profile, let key = state.keys[profile] else {
            throw Refusal(.conditionsNotSatisfied)
        }
        let data = try authenticated(command, pairing)
        let host = try host(in: data, pairing, key)
        let record = try write(host, slot: pairing.slot)

        let answer = [UInt8].objects([
            0x80: protocolName, 0x81: [profile.rawValue], 0x82: key.publicKey, 0x85: [UInt8(clamping: record + 1)],
        ])
        guard let sealed = try? pairing.run.seal(answer, to: data) else { throw Refusal(.memoryUnchanged) }
        var body = [UInt8].object(pairing.run.dataTag, sealed.data)
        body.appendObject(0x85, sealed.mac)
        return Response(.success, data: .object(0x7C, body))
    }

    /// The host's data as they came, once MAC_A is right; then the tries are given back before anything else happens.
    private func authenticated(_ command: borrowing Command, _ pairing: Pairing) throws(Refusal) -> [UInt8] {
        guard let (data, mac) = try? Self.parse([UInt8](copying: command.data), pairing.run.dataTag) else {
            throw Refusal(.incorrectData)
        }
        guard pairing.run.isValid(mac, of: data) else {
            let tries = min(state.slots[pairing.slot - 1]?.triesInARow ?? 0, 15)
            card.note(.wrongPassword(slot: pairing.slot, triesLeft: tries))
            throw Refusal(StatusWord(0x63C0 | UInt16(tries)))
        }
        guard var slot = state.slots[pairing.slot - 1] else { throw Refusal(.referenceDataNotUsable) }
        slot.triesInARow = ActivationSlot.limits.0
        slot.failuresLeft = min(slot.failuresLeft + 1, ActivationSlot.limits.1)
        state.slots[pairing.slot - 1] = slot
        try card.commit()
        return data
    }

    /// `7C { 84 DATA_A | 86 EA, 85 20 MAC_A }`.
    private static func parse(
        _ bytes: [UInt8], _ tag: UInt8
    ) throws(MalformedBytes) -> (data: [UInt8], mac: [UInt8]) {
        var cursor = ByteCursor(bytes)
        var body = ByteCursor(try cursor.object(0x7C))
        try cursor.finish()
        let data = try body.object(tag)
        let mac = try body.object(0x85, length: 32)
        try body.finish()
        return (data, mac)
    }

    /// The host's data in DATA_A, after all checks (GSC/1, 8).
    private func host(in data: [UInt8], _ pairing: Pairing, _ key: ChannelKey) throws(Refusal) -> HostData {
        let suite = pairing.profile.suite
        guard let plain = try? pairing.run.open(data), let host = try? HostData(plain, pairing.profile),
            (try? PublicKey(curve: suite.curve, bytes: host.publicKey)) != nil,
            host.identity == pairing.hostIdentity, host.publicKey != key.publicKey
        else { throw Refusal(.incorrectData) }
        try require(host.capabilitiesHash == suite.hash(fixedCapabilities), else: .conditionsNotSatisfied)
        try require(state.slots[pairing.slot - 1]?.isConsumed == false, else: .referenceDataNotUsable)
        return host
    }

    /// Writes the host's record as pending: over its old one, into a free place, or over the oldest pending one.
    private func write(_ host: HostData, slot: Int) throws(Refusal) -> Int {
        let records = state.records
        let own = records.firstIndex { $0?.hostIdentity == host.identity && $0?.profile == host.profile }
        let oldestPending = records.indices.filter { records[$0]?.isActive == false }
            .min { (records[$0]?.created ?? 0) < (records[$1]?.created ?? 0) }
        guard let place = own ?? records.firstIndex(where: { $0 == nil }) ?? oldestPending else {
            throw Refusal(.notEnoughMemory)
        }
        state.clock &+= 1
        let record = PairingRecord(
            isActive: false, profile: host.profile, hostIdentity: host.identity, publicKey: host.publicKey,
            label: host.label, slot: slot, created: state.clock, lastUsed: state.clock)
        state.records[place] = record
        try card.commit()
        card.note(.paired(record))
        if own == nil { eraseSessions(of: place) }
        return place
    }
}

/// PAIR-1: `7C { 80 slot, 81 ID_H, 82 R_H | u1 }`.
private struct PairingRequest {
    let slot: Int
    let hostIdentity: [UInt8]
    let share: [UInt8]

    init(_ bytes: [UInt8], _ profile: ChannelProfile) throws(MalformedBytes) {
        var cursor = ByteCursor(bytes)
        var body = ByteCursor(try cursor.object(0x7C))
        try cursor.finish()
        slot = Int(try body.object(0x80, length: 1)[0])
        hostIdentity = try body.object(0x81, length: 8)
        share = try body.object(0x82)
        try body.finish()
        guard profile.suite.hasLength(ofShare: share) else { throw MalformedBytes() }
    }
}

/// DATA_A.
private struct HostData {
    let profile: ChannelProfile
    let publicKey: [UInt8]
    let capabilitiesHash: [UInt8]
    let label: [UInt8]

    init(_ bytes: [UInt8], _ profile: ChannelProfile) throws(MalformedBytes) {
        self.profile = profile
        var cursor = ByteCursor(bytes)
        guard try cursor.object(0x80) == protocolName, try cursor.object(0x81) == [profile.rawValue] else {
            throw MalformedBytes()
        }
        publicKey = try cursor.object(0x82, length: 64)
        capabilitiesHash = try cursor.object(0x83, length: 32)
        label = try cursor.object(0x84)
        try cursor.finish()
        guard label.count <= 32 else { throw MalformedBytes() }
    }

    /// ID_H = H(H_pub)[0..7].
    var identity: [UInt8] { Array(profile.suite.hash(publicKey).prefix(8)) }
}

/// The administrator's commands of the channel: slots, new passwords, and the reset of all pairings (GSC/1, 6).
extension ChannelEnd {
    /// - Parameter isAdministrator: Whether the administrator's PIN was presented in the command's context.
    func administrate(
        _ command: borrowing Command, isAdministrator: Bool, then action: inout PostReplyAction
    ) throws(Refusal) -> Response {
        try require(isAdministrator, else: .securityStatusNotSatisfied)
        switch command.p1 {
        case 0x10: return try resetTries(command)
        case 0x11: return try makePassword(command)
        default:
            try resetPairings()
            action = .reset
            return Response(.success)
        }
    }

    /// Restores the five tries of a slot.
    private func resetTries(_ command: borrowing Command) throws(Refusal) -> Response {
        let slot = Int(command.p2) - 1
        try require((0..<offer.slots).contains(slot), else: .incorrectParameters)
        try require(state.slots[slot] != nil, else: .referenceDataNotUsable)
        state.slots[slot]?.triesInARow = ActivationSlot.limits.0
        try card.commit()
        return Response(.success)
    }

    /// Fills a slot, or the next empty one, with a new password, and returns it: `87 L PW`.
    private func makePassword(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(Int(command.p2) <= offer.slots, else: .incorrectParameters)
        guard let wish = try? PasswordWish([UInt8](copying: command.data)) else { throw Refusal(.incorrectData) }
        let empty = state.slots.prefix(offer.slots).firstIndex { $0 == nil }.map { $0 + 1 }
        guard let number = command.p2 == 0 ? empty : Int(command.p2) else { throw Refusal(.notEnoughMemory) }

        guard let password = try? ActivationPassword(slot: number, of: wish.alphabet, random: card.random),
            var slot = try? password.slot(for: profiles, random: card.random)
        else { throw Refusal(.memoryUnchanged) }
        slot.isOneTime = wish.isOneTime
        state.slots[number - 1] = slot
        try card.commit()
        return Response(.success, data: .object(0x87, [UInt8](copying: password.symbols)))
    }

    /// New key pairs, and no records.
    private func resetPairings() throws(Refusal) {
        guard let keys = try? [ChannelProfile: ChannelKey].generate(offer.profiles, random: card.random) else {
            throw Refusal(.memoryUnchanged)
        }
        state.keys = keys
        state.records = Array(repeating: nil, count: state.records.count)
        try card.commit()
    }
}

/// The properties of a new password: `80 01 charset [81 01 flags]`.
private struct PasswordWish {
    let alphabet: ActivationPassword.Alphabet
    let isOneTime: Bool

    init(_ bytes: [UInt8]) throws(MalformedBytes) {
        var cursor = ByteCursor(bytes)
        guard let alphabet = ActivationPassword.Alphabet(rawValue: try cursor.object(0x80, length: 1)[0]) else {
            throw MalformedBytes()
        }
        let flags = cursor.isAtEnd ? 0 : try cursor.object(0x81, length: 1)[0]
        try cursor.finish()
        guard flags <= 1 else { throw MalformedBytes() }
        self.alphabet = alphabet
        isOneTime = flags & 1 != 0
    }
}
