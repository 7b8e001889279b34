// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets

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
        tries.appendUInt16(slot?.c3 ?? 0)
        let body = [UInt8].objects([
            0x80: [UInt8(clamping: number)], 0x81: [slotCondition(number)], 0x82: [slot?.profiles ?? 0],
            0x83: slot?.salt ?? [UInt8](repeating: 0, count: 16), 0x84: [0x01], 0x85: [UInt8(clamping: slot?.c1 ?? 0)],
            0x86: [UInt8(clamping: slot?.c2 ?? 0)], 0x87: tries,
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
