// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import Locking
package import Secrets
package import Token

extension Library {
    /// The known state of a token, with this application's sessions.
    package struct TokenState: Sendable {
        package var model: TokenModel
        package var atr: [UInt8]
        package var isActivated: Bool
        /// Whether the token is reached over the air.
        package var isWireless: Bool
        package var protection: ProtectionInfo
        package var info: TokenInfo
        package var sessionCount = 0
        package var readWriteSessionCount = 0
    }

    /// - Parameter evicting: Whether to learn everything, even at another process's cost; see `Token.info`.
    package func token(in slot: CK_SLOT_ID, evicting: Bool) throws(CKError) -> TokenState {
        // While a call waits for an absent token, this one tells that it is absent.
        guard try self.slot(slot).isOccupied else { throw .tokenNotPresent }
        return try entry(slot).slot.withLock { slot throws(CKError) in
            try slot.withoutSessions { () throws(CKError) in
                var state = try slot.withToken(waits: false) { token throws(TokenError) in
                    let info = try token.info(evicting: evicting, detailed: evicting)
                    return TokenState(
                        model: token.model, atr: token.atr, isActivated: token.isActivated,
                        isWireless: token.isWireless, protection: token.protectionInfo, info: info)
                }
                state.sessionCount = slot.sessions.count
                state.readWriteSessionCount = slot.sessions.readWriteCount
                return state
            }
        }
    }

    /// The state of the channel to a token, without a session. Nothing is known of an absent token.
    package func channelInfo(in slot: CK_SLOT_ID) throws(CKError) -> ChannelInfo {
        guard try self.slot(slot).isOccupied else { throw .tokenNotPresent }
        return try entry(slot).slot.withLock { slot throws(CKError) in
            try slot.withoutSessions { () throws(CKError) in
                try slot.withToken(waits: false) { token throws(TokenError) in try token.channelInfo() }
            }
        }
    }

    /// Formats the token. Its pairings with hosts stay.
    ///
    /// - Parameters:
    ///   - serial: The token that is meant; nil for any token in the slot.
    ///   - pin: The SO's present PIN.
    ///   - mode: The protection of messages that the caller counts on (`SECURE_MESSAGING_`). The channel always takes
    ///     the highest profile that both ends have.
    /// - Throws: `CKR_SESSION_EXISTS` while a session with the token is open; `CKR_DEVICE_REMOVED` for another token.
    package func initToken(
        in slot: CK_SLOT_ID, ofToken serial: [UInt8]? = nil, pin: borrowing Secret, format: TokenFormat, mode: CK_ULONG
    ) throws(CKError) {
        let pin = pin.copy()
        try entry(slot).slot.withLock { slot throws(CKError) in
            let isAvailable = try slot.withToken(checking: slot.requireNoSession) { token throws(TokenError) in
                guard serial == nil || serial == token.serial else { throw .anotherToken }
                let isAvailable = mode == SECURE_MESSAGING_DEFAULT || token.protectionInfo.supportedModes.contains(mode)
                if isAvailable { try token.format(format, pin: pin) }
                return isAvailable
            }
            guard isAvailable else { throw .functionNotSupported }
        }
    }

    /// The presence of the token that the slot's sessions work with.
    package func presence(in slot: CK_SLOT_ID) throws(CKError) -> TokenPresence {
        try entry(slot).slot.withLock { slot throws(CKError) in slot.presence }
    }

    /// The mechanisms of the token in a slot, in the vendor's order.
    package func mechanisms(of slot: CK_SLOT_ID) throws(CKError) -> [CK_MECHANISM_TYPE] {
        try requireToken(slot)
        return MechanismDefinition.all.map(\.type)
    }

    /// The sizes of a mechanism's keys, where they do not follow from the key type, and its flags.
    package func information(
        on mechanism: CK_MECHANISM_TYPE, in slot: CK_SLOT_ID
    ) throws(CKError) -> (keySizes: ClosedRange<CK_ULONG>, flags: CK_FLAGS) {
        try requireToken(slot)
        guard let definition = MechanismDefinition.all.first(where: { $0.type == mechanism }) else {
            throw .mechanismInvalid("\(mechanism: mechanism) is not in the list of mechanisms")
        }
        return (definition.keySizes, definition.flags)
    }

    private func requireToken(_ id: CK_SLOT_ID) throws(CKError) {
        guard try slot(id).hasToken else { throw .tokenNotPresent }
    }
}
