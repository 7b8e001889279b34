// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import Locking
package import Secrets
package import Token
package import Tokens

extension Library {
    /// The known state of a token, with this application's sessions.
    @dynamicMemberLookup
    package struct TokenState: Sendable {
        package var report: TokenReport
        package var sessionCount: Int
        package var readWriteSessionCount: Int

        package subscript<Value>(dynamicMember member: KeyPath<TokenReport, Value>) -> Value { report[keyPath: member] }
    }

    /// - Parameter evicting: Whether to learn everything, even at another process's cost; see `ConnectedToken.info`.
    package func token(in slot: CK_SLOT_ID, evicting: Bool) throws(CKError) -> TokenState {
        let report = try tokens { slots throws(TokensError) in
            try slots.token(in: Int(clamping: slot), evicting: evicting)
        }
        return try sessions(of: slot, computes: false).withLock { slot in
            TokenState(
                report: report, sessionCount: slot.sessions.count, readWriteSessionCount: slot.sessions.readWriteCount)
        }
    }

    /// The state of the channel to a token, without a session. Nothing is known of an absent token.
    package func channelInfo(in slot: CK_SLOT_ID) throws(CKError) -> ChannelInfo {
        try tokens { slots throws(TokensError) in try slots.channelInfo(in: Int(clamping: slot)) }
    }

    /// Formats the token. Its pairings with hosts stay.
    ///
    /// - Parameters:
    ///   - serial: The token that is meant; nil for any token in the slot.
    ///   - pin: The SO's present PIN.
    ///   - mode: The protection of messages that the caller counts on (`SECURE_MESSAGING_`). The channel always uses
    ///     the highest profile that both ends have.
    /// - Throws: `CKR_SESSION_EXISTS` while a session with the token is open; `CKR_DEVICE_REMOVED` for another token;
    ///   `CKR_FUNCTION_NOT_SUPPORTED` for another protection.
    package func initToken(
        in slot: CK_SLOT_ID, ofToken serial: [UInt8]? = nil, pin: borrowing Secret, format: TokenFormat, mode: CK_ULONG
    ) throws(CKError) {
        let pin = pin.copy()
        try tokens { slots throws(TokensError) in
            try slots.format(in: Int(clamping: slot), ofToken: serial, pin: pin, format: format) { protection in
                mode == SECURE_MESSAGING_DEFAULT || protection.supportedModes.contains(mode)
            }
        }
    }

    /// The presence of the token that the slot's sessions work with.
    package func presence(in slot: CK_SLOT_ID) throws(CKError) -> TokenPresence {
        try sessions(of: slot).withLock { slot in slot.place.presence }
    }

    /// The mechanisms of the token in a slot, in the vendor's order.
    package func mechanisms(of slot: CK_SLOT_ID) throws(CKError) -> [CK_MECHANISM_TYPE] {
        MechanismDefinition.listed(with: try abilities(of: slot)).map(\.type)
    }

    /// The sizes of a mechanism's keys, where they do not follow from the key type, and its flags.
    package func information(
        on mechanism: CK_MECHANISM_TYPE, in slot: CK_SLOT_ID
    ) throws(CKError) -> (keySizes: ClosedRange<CK_ULONG>, flags: CK_FLAGS) {
        let listed = MechanismDefinition.listed(with: try abilities(of: slot))
        guard let definition = listed.first(where: { $0.type == mechanism }) else {
            throw .mechanismInvalid("\(mechanism: mechanism) is not in the list of mechanisms")
        }
        return (definition.keySizes, definition.flags)
    }

    private func abilities(of id: CK_SLOT_ID) throws(CKError) -> TokenAbilities {
        guard try slot(id).hasToken else { throw .tokenNotPresent }
        return try tokens { slots throws(TokensError) in try slots.abilities(of: Int(clamping: id)) }
    }
}
