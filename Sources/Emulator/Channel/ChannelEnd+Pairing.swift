import APDU
import GOST
import Secrets

/// Pairing, classic profile (GSC/1, 7 and 8).
extension ChannelEnd {
    /// PAIR-1: the try is spent and in the memory before anything is computed from the password.
    func beginPairing(_ command: borrowing Command) throws(Refusal) -> Response {
        try requireClassic(command.p2)
        guard let request = try? PairingRequest([UInt8](copying: command.data)) else {
            throw Refusal(.incorrectData)
        }
        try require((1...offer.slots).contains(request.slot), else: .incorrectData)
        try require(request.hostIdentity != card.state.serial, else: .incorrectData)
        try require(!offer.isPairingForbidden, else: .conditionsNotSatisfied)
        let slot = try readySlot(request.slot)
        try require(slot.profiles & ChannelProfile.classic.bit != 0, else: .functionNotSupported)
        let challenge = try card.randomBytes(16)
        try require(challenge != request.challenge, else: .conditionsNotSatisfied)

        state.slots[request.slot - 1]?.c1 -= 1
        state.slots[request.slot - 1]?.c2 -= 1
        state.slots[request.slot - 1]?.c3 -= 1
        try card.commit()

        let transcript =
            protocolName + [ChannelProfile.classic.rawValue, UInt8(truncatingIfNeeded: request.slot)]
            + request.hostIdentity + card.state.serial + slot.salt + request.challenge + challenge
        guard
            let run = try? PairingRun(
                slot: request.slot, hostIdentity: request.hostIdentity, transcript: transcript,
                verifier: slot.verifier)
        else { throw Refusal(.memoryUnchanged) }
        handshake = .pairing(run)
        return Response(.success, data: .object(0x7C, .object(0x82, challenge)))
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
    func completePairing(
        _ command: borrowing Command, handshake: consuming Handshake?
    ) throws(Refusal) -> Response {
        try require(ChannelProfile(rawValue: command.p2) != nil, else: .incorrectParameters)
        guard case .pairing(let run) = consume handshake, command.p2 == ChannelProfile.classic.rawValue else {
            throw Refusal(.conditionsNotSatisfied)
        }
        let cryptogram = try authenticated(command, run)
        let host = try host(in: cryptogram, run)
        let record = try write(host, slot: run.slot)

        let answer = [UInt8].objects([
            0x80: protocolName, 0x81: [ChannelProfile.classic.rawValue], 0x82: state.publicKey,
            0x85: [UInt8(clamping: record + 1)],
        ])
        guard let sealed = try? Classic.apply(key: run.tokenCipher, iv: Self.zeroIV, to: answer.span) else {
            throw Refusal(.memoryUnchanged)
        }
        let encrypted = [UInt8](copying: sealed)
        let mac = Classic.authenticate([0x02] + run.transcript + cryptogram + encrypted, key: run.tokenMAC)
        return Response(.success, data: .object(0x7C, .objects([0x86: encrypted, 0x85: [UInt8](copying: mac)])))
    }

    private static var zeroIV: [UInt8] { [UInt8](repeating: 0, count: 8) }

    /// EA, once MAC_A is right; then the tries are given back before anything else happens.
    private func authenticated(_ command: borrowing Command, _ run: borrowing PairingRun) throws(Refusal) -> [UInt8] {
        guard let (cryptogram, mac) = try? Self.parse([UInt8](copying: command.data)) else {
            throw Refusal(.incorrectData)
        }
        let expected = Classic.authenticate([0x01] + run.transcript + cryptogram, key: run.hostMAC)
        guard constantTimeEqual(expected.bytes, mac.span) else {
            let tries = min(state.slots[run.slot - 1]?.c1 ?? 0, 15)
            throw Refusal(StatusWord(0x63C0 | UInt16(tries)))
        }
        guard var slot = state.slots[run.slot - 1] else { throw Refusal(.referenceDataNotUsable) }
        slot.c1 = ActivationSlot.limits.0
        slot.c2 = min(slot.c2 + 1, ActivationSlot.limits.1)
        state.slots[run.slot - 1] = slot
        try card.commit()
        return cryptogram
    }

    /// `7C { 86 EA, 85 20 MAC_A }`.
    private static func parse(_ bytes: [UInt8]) throws(MalformedBytes) -> (cryptogram: [UInt8], mac: [UInt8]) {
        var cursor = ByteCursor(bytes)
        var body = ByteCursor(try cursor.object(0x7C))
        try cursor.finish()
        let cryptogram = try body.object(0x86)
        let mac = try body.object(0x85, length: 32)
        try body.finish()
        return (cryptogram, mac)
    }

    /// What DATA_A says of the host, after all its checks (GSC/1, 8).
    private func host(in cryptogram: [UInt8], _ run: borrowing PairingRun) throws(Refusal) -> HostData {
        guard let plain = try? Classic.apply(key: run.hostCipher, iv: Self.zeroIV, to: cryptogram.span),
            let host = try? HostData([UInt8](copying: plain)),
            (try? PublicKey(curve: Classic.curve, bytes: host.publicKey)) != nil,
            host.identity == run.hostIdentity, host.publicKey != state.publicKey
        else { throw Refusal(.incorrectData) }
        try require(host.capabilitiesHash == Classic.hash(fixedCapabilities), else: .conditionsNotSatisfied)
        try require(state.slots[run.slot - 1]?.isConsumed == false, else: .referenceDataNotUsable)
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
        if own == nil { eraseSessions(of: place) }
        state.clock &+= 1
        state.records[place] = PairingRecord(
            isActive: false, profile: host.profile, hostIdentity: host.identity, publicKey: host.publicKey,
            label: host.label, slot: slot, created: state.clock, lastUsed: state.clock)
        try card.commit()
        return place
    }

    /// Refuses other profiles than the classic one.
    func requireClassic(_ profile: UInt8) throws(Refusal) {
        guard let profile = ChannelProfile(rawValue: profile) else { throw Refusal(.incorrectParameters) }
        try require(profile == .classic, else: .functionNotSupported)
    }
}

/// PAIR-1 of the classic profile: `7C { 80 slot, 81 ID_H, 82 R_H }`.
private struct PairingRequest {
    let slot: Int
    let hostIdentity: [UInt8]
    let challenge: [UInt8]

    init(_ bytes: [UInt8]) throws(MalformedBytes) {
        var cursor = ByteCursor(bytes)
        var body = ByteCursor(try cursor.object(0x7C))
        try cursor.finish()
        slot = Int(try body.object(0x80, length: 1)[0])
        hostIdentity = try body.object(0x81, length: 8)
        challenge = try body.object(0x82, length: 16)
        try body.finish()
    }
}

/// DATA_A.
private struct HostData {
    let profile: UInt8
    let publicKey: [UInt8]
    let capabilitiesHash: [UInt8]
    let label: [UInt8]

    init(_ bytes: [UInt8]) throws(MalformedBytes) {
        var cursor = ByteCursor(bytes)
        guard try cursor.object(0x80) == protocolName else { throw MalformedBytes() }
        profile = try cursor.object(0x81, length: 1)[0]
        publicKey = try cursor.object(0x82, length: 64)
        capabilitiesHash = try cursor.object(0x83, length: 32)
        label = try cursor.object(0x84)
        try cursor.finish()
        guard profile == ChannelProfile.classic.rawValue, label.count <= 32 else { throw MalformedBytes() }
    }

    /// ID_H = H(H_pub)[0..7].
    var identity: [UInt8] { Array(Classic.hash(publicKey).prefix(8)) }
}
