// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import Secrets

/// The administrator's commands of the channel: slots, new passwords, and the reset of all pairings (GSC/1, 6).
extension ChannelEnd {
    /// - Parameter isAdministrator: Whether the administrator's PIN was presented in the command's context.
    func administrate(
        _ command: borrowing Command, isAdministrator: Bool, aftermath: inout Aftermath
    ) throws(Refusal) -> Response {
        try require(isAdministrator, else: .securityStatusNotSatisfied)
        switch command.p1 {
        case 0x10: return try resetTries(command)
        case 0x11: return try makePassword(command)
        default:
            try resetPairings()
            aftermath = .reset
            return Response(.success)
        }
    }

    /// Gives a slot its five tries again.
    private func resetTries(_ command: borrowing Command) throws(Refusal) -> Response {
        let slot = Int(command.p2) - 1
        try require((0..<offer.slots).contains(slot), else: .incorrectParameters)
        try require(state.slots[slot] != nil, else: .referenceDataNotUsable)
        state.slots[slot]?.c1 = ActivationSlot.limits.0
        try card.commit()
        return Response(.success)
    }

    /// Fills a slot, or the next empty one, with a new password, and tells it: `87 L PW`.
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
        guard let keys = try? [ChannelProfile: TokenKey].generate(offer.profiles, random: card.random) else {
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
