// SPDX-License-Identifier: Apache-2.0

import APDU
import Locking
package import SecureChannel
package import Secrets
package import Token

/// Functions that need no session.
extension Slots {
    /// - Parameter evicting: Whether to learn everything, even at another process's cost; see `ConnectedToken.info`.
    package func token(in number: Int, evicting: Bool) throws(TokensError) -> TokenReport {
        try informing(of: number) { token throws(TokenError) in
            let info = try token.info(evicting: evicting, detailed: evicting)
            return TokenReport(
                model: token.model, atr: token.atr, isActivated: token.isActivated, isWireless: token.isWireless,
                hasPINPad: token.hasPINPad, protection: token.protectionInfo, info: info)
        }
    }

    /// The state of the channel to a token. Nothing is known of an absent token.
    package func channelInfo(in number: Int) throws(TokensError) -> ChannelInfo {
        try informing(of: number) { token throws(TokenError) in try token.channelInfo() }
    }

    /// Asks a token for what a program wants to know. While a call waits for an absent token, this one reports it as
    /// absent.
    private func informing<Result: Sendable>(
        of number: Int, _ body: @Sendable (ConnectedToken) throws(TokenError) -> Result
    ) throws(TokensError) -> Result {
        guard try state(of: number).isOccupied else { throw .noCard }
        return try withSlot(number, computes: false) { slot throws(TokensError) in
            try slot.withoutSessions { () throws(TokensError) in try slot.withToken(waits: false, body) }
        }
    }

    /// Runs `body` with the token in a slot.
    package func withToken<Result: Sendable>(
        in number: Int, _ body: @Sendable (ConnectedToken) throws(TokenError) -> Result
    ) throws(TokensError) -> Result {
        guard try state(of: number).isOccupied else { throw .noCard }
        return try withSlot(number) { slot throws(TokensError) in try slot.withToken(body) }
    }

    /// Runs `body` with a token that no session may be open with.
    private func withUnusedToken<Result: Sendable>(
        in number: Int, _ body: @Sendable (ConnectedToken) throws(TokenError) -> Result
    ) throws(TokensError) -> Result {
        // The caller wants to change the token.
        guard try !isFolder(number) else { throw .token(.readOnly) }
        return try withSlot(number) { slot throws(TokensError) in
            slot.takeTurn()
            defer { slot.giveTurn() }
            guard slot.isUnused else { throw .sessionsOpen }
            return try slot.inTurn(body)
        }
    }

    /// Formats the token. Its pairings with hosts stay.
    ///
    /// - Parameters:
    ///   - serial: The token that is meant; nil for any token in the slot.
    ///   - pin: The SO's present PIN.
    ///   - isWanted: Whether the token's protection of messages is what the caller counts on.
    /// - Throws: ``TokensError/sessionsOpen``; `.anotherToken`; ``TokensError/notSupported`` for another protection.
    package func format(
        in number: Int, ofToken serial: [UInt8]? = nil, pin: borrowing Secret, format: TokenFormat,
        where isWanted: @Sendable (ProtectionInfo) -> Bool = { _ in true }
    ) throws(TokensError) {
        let pin = pin.copy()
        let isAvailable = try withUnusedToken(in: number) { token throws(TokenError) in
            guard serial == nil || serial == token.serial else { throw .anotherToken }
            let isAvailable = isWanted(token.protectionInfo)
            if isAvailable { try token.format(format, pin: pin) }
            return isAvailable
        }
        guard isAvailable else { throw .notSupported }
    }

    /// Activates the secure channel of the token with a password, as the user typed it. An impossible password is
    /// refused before anything reaches the token.
    ///
    /// - Parameter serial: The token that is meant; nil for any token in the slot.
    /// - Throws: ``TokensError/sessionsOpen``; `.anotherToken`.
    package func activate(_ number: Int, ofToken serial: [UInt8]? = nil, password: Span<UInt8>) throws(TokensError) {
        _ = try entry(number)
        let password = try Self.password(password)
        try withUnusedToken(in: number) { token throws(TokenError) in
            guard serial == nil || serial == token.serial else { throw .anotherToken }
            try token.activate(with: password)
        }
    }

    private static func password(_ text: Span<UInt8>) throws(TokensError) -> ActivationPassword {
        do { return try ActivationPassword(text) } catch { throw .token(.channel(error)) }
    }

    // MARK: PINs

    /// Sets a local PIN.
    ///
    /// - Parameters:
    ///   - local: Its number, one of ``localPINNumbers``.
    ///   - serial: The token that is meant; nil for any token in the slot.
    ///   - present: Its present value; User's PIN if it has none.
    /// - Throws: `.anotherToken`.
    package func setLocalPIN(
        _ local: Int, in number: Int, ofToken serial: [UInt8]? = nil, to new: borrowing Secret,
        presenting present: borrowing Secret
    ) throws(TokensError) {
        let pin = try Self.localPIN(local)
        let new = new.copy()
        let present = present.copy()
        try withToken(in: number) { token throws(TokenError) in
            guard serial == nil || serial == token.serial else { throw .anotherToken }
            try token.setLocalPIN(pin, to: new, presenting: present)
        }
    }

    /// Limits and tries of a local PIN.
    ///
    /// - Throws: ``TokensError/localPINUnset``.
    package func localPIN(_ local: Int, in number: Int) throws(TokensError) -> PINState {
        let pin = try Self.localPIN(local)
        let state = try withToken(in: number) { token throws(TokenError) in try token.localPIN(pin) }
        guard let state else { throw .localPINUnset }
        return state
    }

    /// The numbers that a local PIN can have.
    package static let localPINNumbers = LocalPIN.numbers

    /// Numbers, limits and tries of the local PINs that have a value.
    package func localPINs(in number: Int) throws(TokensError) -> [(number: Int, state: PINState)] {
        try withToken(in: number) { token throws(TokenError) in try token.localPINs() }
    }

    private static func localPIN(_ number: Int) throws(TokensError) -> LocalPIN {
        guard let pin = LocalPIN(number: number) else {
            throw .refused(.arguments, "\(number) is the number of no local PIN")
        }
        return pin
    }

    /// Whether User's PIN must be changed before it is used for anything else.
    package func mustChangeUserPIN(in number: Int) throws(TokensError) -> Bool {
        try withToken(in: number) { token throws(TokenError) in
            // Without its channel the token does not report it.
            try token.prepare()
            return try token.info(evicting: true).isUserPINChangeForced
        }
    }
}

/// Pairings, as the token and as this machine know them.
extension Slots {
    /// The hosts that the token in a slot is paired with, by the token's own list. Needs no login.
    ///
    /// - Throws: ``TokensError/withoutChannel`` if the token is used without a channel, or is not activated.
    package func pairedHosts(in number: Int) throws(TokensError) -> [PairedHost] {
        let hosts = try withToken(in: number) { token throws(TokenError) -> [PairedHost]? in
            token.isActivated && !token.isProtected ? nil : try token.pairedHosts()
        }
        guard let hosts else { throw .withoutChannel }
        return hosts
    }

    /// The tokens that this user is paired with on this machine, the youngest pairing first. No token need be there.
    package func pairedTokens() throws(TokensError) -> [PairedToken] {
        do { return try settings.pairedTokens() } catch { throw .token(error) }
    }

    /// Forgets a token on this machine: it must be activated again. The token is not notified: it lists this host
    /// until it is removed there. This program's ``TokenSession``s with it end.
    ///
    /// - Parameter serial: 8 bytes.
    /// - Throws: ``TokensError/noPairing`` without a pairing with such a token.
    package func removePairings(withToken serial: [UInt8]) throws(TokensError) {
        do { try settings.removePairings(withToken: serial) } catch {
            throw error == .notFound ? .noPairing : .token(error)
        }
        for number in numbers(withToken: serial) {
            try withSlot(number) { slot in if slot.turn.state?.serial == serial { slot.endSessions() } }
        }
    }
}
