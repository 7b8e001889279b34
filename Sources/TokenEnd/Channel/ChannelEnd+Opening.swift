// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets

/// Opening and renewing sessions (GSC/1, 10).
extension ChannelEnd {
    /// OPEN-1, in plain for a new session or inside `session` to renew it. No session is touched.
    func beginOpening(_ command: borrowing Command, session: ChannelEndSession?, channel: Int) throws(Refusal)
        -> Response
    {
        let profile = try profile(command.p2)
        let hasInstance = session == nil && offer.sessions > 1
        let data = [UInt8](copying: command.data)
        guard let request = try? OpeningRequest(data, profile, hasInstance: hasInstance),
            profile.suite.isValid(share: request.contribution)
        else { throw Refusal(.incorrectData) }
        if let session {
            try require(
                session.hostIdentity == request.hostIdentity && session.profile == profile,
                else: .conditionsNotSatisfied)
        }
        let place = state.records.firstIndex {
            $0?.hostIdentity == request.hostIdentity && $0?.profile == profile
        }
        guard let place, let record = state.records[place] else { throw Refusal(.referencedDataNotFound) }

        let binding = session.map { [UInt8](copying: $0.exporter.secret) } ?? request.instance.padded(to: 32)
        guard let own = try? profile.suite.contribute(random: card.random),
            let run = try? run(place, record, request, own, binding)
        else { throw Refusal(.memoryUnchanged) }
        try require(own.bytes != request.contribution, else: .conditionsNotSatisfied)
        let answer = [UInt8].objects([0x82: own.bytes, 0x85: run.tokenMAC])
        handshake = session == nil ? .opening(run) : .renewal(channel: channel, run)
        return Response(.success, data: .object(0x7C, answer))
    }

    /// TH, the agreement under it, and all that follows from them.
    private func run(
        _ place: Int, _ record: PairingRecord, _ request: OpeningRequest, _ own: any Contribution, _ binding: [UInt8]
    ) throws(GOSTError) -> OpeningRun {
        let suite = record.profile.suite
        guard let key = state.keys[record.profile] else { throw .invalidParameter }
        let names = [record.profile.rawValue] + suite.hash(fixedCapabilities) + card.serial + record.hostIdentity
        let values = key.publicKey + record.publicKey + request.contribution + own.bytes + binding
        let transcript = suite.hash([UInt8]("GSC1 open".utf8) + names + values)
        let tokenKey = try PrivateKey(curve: suite.curve, scalar: key.scalar.secret.copy())
        let peer = try PublicKey(curve: suite.curve, bytes: record.publicKey)
        let shared = try own.agree(
            tokenKey: tokenKey, host: peer, hostContribution: request.contribution, transcript: transcript)
        return try OpeningRun(
            record: place, of: record, profile: record.profile, instance: request.instance, transcript: transcript,
            shared: shared)
    }

    /// OPEN-2 in plain: makes the session, in place of an older one of the same record and process.
    func completeOpening(_ command: borrowing Command, handshake: Handshake?) throws(Refusal) -> Response {
        guard case .opening(let run) = handshake else { throw Refusal(.conditionsNotSatisfied) }
        try confirm(command, run)
        guard let protection = try? MessageProtection(run.profile, seed: run.seed.secret) else {
            throw Refusal(.memoryUnchanged)
        }
        try activate(run)
        if let reveal = card.reveal { reveal((try? MessageProtection.secrets(run)) ?? []) }

        for index in sessions.indices {
            guard let session = sessions[index] else { continue }
            let isOlder = session.record == run.record && session.instance == run.instance
            if isOlder || offer.isForOne { sessions[index] = nil }
        }
        let leastRecent = sessions.indices.min { sessions[$0]?.lastUse ?? 0 < sessions[$1]?.lastUse ?? 0 }
        let channel = sessions.firstIndex { $0 == nil } ?? leastRecent ?? 0
        sessions[channel] = ChannelEndSession(
            run, protection: protection, lastUse: tick(), context: card.makeContext(for: state.records[run.record]))
        if let record = state.records[run.record] { card.note(.opened(record)) }
        return opened(channel)
    }

    /// OPEN-2 inside a session: the keys change after this reply.
    func completeRenewal(
        _ command: borrowing Command, channel: Int, handshake: Handshake?, then action: inout PostReplyAction
    ) throws(Refusal) -> Response {
        guard case .renewal(channel, let run) = handshake else { throw Refusal(.conditionsNotSatisfied) }
        try confirm(command, run)
        action = .renew(run)
        return opened(channel)
    }

    /// MAC_H proves that the host has its key.
    private func confirm(_ command: borrowing Command, _ run: OpeningRun) throws(Refusal) {
        guard let mac = try? Self.confirmation([UInt8](copying: command.data)) else { throw Refusal(.incorrectData) }
        guard run.hostMAC.matches(Secret(copying: mac)) else {
            card.pause(min(Self.firstDelay << min(failures, 16), Self.longestDelay))
            failures += 1
            throw Refusal(.verificationFailed)
        }
        failures = 0
    }

    /// After a failed proof the host waits 100 ms, and each time twice as long, up to 5 s.
    private static let firstDelay = 100
    private static let longestDelay = 5000

    private static func confirmation(_ bytes: [UInt8]) throws(MalformedBytes) -> [UInt8] {
        var cursor = ByteCursor(bytes)
        var body = ByteCursor(try cursor.object(0x7C))
        try cursor.finish()
        let mac = try body.object(0x85, length: 16)
        try body.finish()
        return mac
    }

    /// With several sessions the answer names the channel.
    private func opened(_ channel: Int) -> Response {
        guard offer.sessions > 1 else { return Response(.success) }
        return Response(.success, data: .object(0x7C, .object(0x88, [UInt8(truncatingIfNeeded: channel)])))
    }

    /// The record is used; a pending one becomes active, and consumes a slot that is good for one pairing.
    private func activate(_ run: OpeningRun) throws(Refusal) {
        let place = run.record
        guard var record = state.records[place] else { throw Refusal(.referencedDataNotFound) }
        state.clock &+= 1
        if !record.isActive, state.slots[record.slot - 1]?.isOneTime == true {
            state.slots[record.slot - 1]?.isConsumed = true
            for index in state.records.indices where index != place {
                guard let other = state.records[index] else { continue }
                if !other.isActive, other.slot == record.slot { state.records[index] = nil }
            }
        }
        record.isActive = true
        record.lastUsed = state.clock
        state.records[place] = record
        try card.commit()
    }
}

/// OPEN-1: `7C { 81 ID_H, 82 C_H [, 83 INST] }`.
private struct OpeningRequest {
    let hostIdentity: [UInt8]
    let contribution: [UInt8]
    let instance: [UInt8]

    init(_ bytes: [UInt8], _ profile: ChannelProfile, hasInstance: Bool) throws(MalformedBytes) {
        var cursor = ByteCursor(bytes)
        var body = ByteCursor(try cursor.object(0x7C))
        try cursor.finish()
        hostIdentity = try body.object(0x81, length: 8)
        contribution = try body.object(0x82)
        instance = hasInstance ? try body.object(0x83, length: 8) : []
        try body.finish()
        guard profile.suite.hasLength(ofShare: contribution) else { throw MalformedBytes() }
    }
}

extension [UInt8] {
    /// The bytes, filled up with zeros.
    fileprivate func padded(to count: Int) -> [UInt8] {
        self + [UInt8](repeating: 0, count: Swift.max(count - self.count, 0))
    }
}

/// GET CAPABILITIES (GSC/1, 4).
extension ChannelEnd {
    /// E1: the capabilities, which never change.
    var fixedCapabilities: [UInt8] {
        var commandSize: [UInt8] = []
        var replySize: [UInt8] = []
        commandSize.appendUInt16(offer.maximumCommand)
        replySize.appendUInt16(offer.maximumReply)
        var body = [UInt8].objects([
            0x80: protocolName, 0x81: card.serial, 0x82: [profiles.reduce(0) { $0 | $1.bit }],
            0x83: commandSize, 0x84: replySize,
            0x85: [offer.policy], 0x86: [UInt8(clamping: state.records.count)], 0x87: [UInt8(clamping: offer.slots)],
            0x88: [UInt8(clamping: offer.sessions)],
        ])
        if let features = offer.features { body.appendObject(0x89, [features]) }
        return .object(0xE1, body)
    }

    /// Capabilities and hints for P2 = 00, one slot for P2 = its number.
    func capabilities(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.data.isEmpty, else: .wrongLength)
        guard command.p2 != 0 else { return Response(.success, data: fixedCapabilities + hints) }
        let number = Int(command.p2)
        try require(number <= offer.slots, else: .incorrectParameters)
        return Response(.success, data: description(ofSlot: number))
    }

    /// E2: the token's present state, unauthenticated.
    private var hints: [UInt8] {
        let isInSession = sessions.contains { $0 != nil }
        let now: UInt8 =
            (offer.isRequired ? 1 : 0) | (offer.isPairingForbidden ? 0 : 2) | (isInSession ? 4 : 0)
        let slots = (1...offer.slots).map { slotCondition($0) }
        let label = String(decoding: card.label, as: UTF8.self)
        return .object(0xE2, .objects([0x80: [now], 0x81: slots, 0x82: label.prefix(utf8: 32)]))
    }

    /// E3; an empty slot has a salt of zeros and no tries.
    private func description(ofSlot number: Int) -> [UInt8] {
        let slot = state.slots[number - 1]
        var tries: [UInt8] = []
        tries.appendUInt16(slot?.attemptsLeft ?? 0)
        let body = [UInt8].objects([
            0x80: [UInt8(clamping: number)], 0x81: [slotCondition(number)], 0x82: [slot?.profiles ?? 0],
            0x83: slot?.salt ?? [UInt8](repeating: 0, count: 16), 0x84: [0x01],
            0x85: [UInt8(clamping: slot?.triesInARow ?? 0)], 0x86: [UInt8(clamping: slot?.failuresLeft ?? 0)],
            0x87: tries,
        ])
        return .object(0xE3, body)
    }

    /// 0 for an empty slot.
    private func slotCondition(_ number: Int) -> UInt8 { state.slots[number - 1]?.condition.rawValue ?? 0 }
}

extension String {
    /// As many whole characters as fit into `count` bytes.
    fileprivate func prefix(utf8 count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in unicodeScalars {
            let next = Array(String(scalar).utf8)
            guard bytes.count + next.count <= count else { break }
            bytes += next
        }
        return bytes
    }
}
