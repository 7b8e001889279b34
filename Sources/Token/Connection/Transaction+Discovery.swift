// SPDX-License-Identifier: Apache-2.0
import APDU
import SecureChannel
import Logging
import Storage
import Translation

/// How a token is to be spoken to (GSC/1, 4).
extension Transaction {
    /// Asks the card whether it has a channel, and decides how to speak to it (GSC/1, 4). Its answer is not
    /// authenticated: it can raise the protection, and lower nothing. If the pairings cannot be read, the token is
    /// visible, but not used.
    func discover() throws(TokenError) {
        do throws(TokenError) { try decideProtection() } catch {
            guard case .channel(.storage) = error else { throw error }
            session.protection = .unknown(error)
        }
    }

    private func decideProtection() throws(TokenError) {
        guard !session.isFolder else { return try openFolder() }
        let identity = session.identity
        let mustProtect = identity.isWireless || settings.policy.requireSM
        // A card can claim to be of any model: a model with the channel must show it.
        let mustShow = identity.model == .ecpBluetooth && !settings.policy.plainBluetooth
        if !mustProtect, !mustShow, try isKnownAsPlain() { return }
        switch try discovery() {
        case .present(let capabilities, let hints):
            session.identity.serial = capabilities.serial
            session.identity.capabilities = capabilities
            session.identity.hints = hints
            if let record = try session.pairing(with: capabilities.serial) {
                guard try !session.isKeyChanged(record) else {
                    session.protection = .keyChanged(capabilities)
                    return session.report(
                        .attackKeyChanged,
                        """
                        another user has activated the token with another key than before, or put another token in \
                        its place: C_EX_SetActivationPassword accepts it
                        """)
                }
                session.protection = .paired(record)
            } else if mustProtect || mustShow || capabilities.policy.contains(.requiredWired) {
                session.protection = .unpaired(capabilities)
                session.warn(.activationNeeded, "the token is not activated: C_EX_SetActivationPassword comes first")
                if settings.pairings == .nowhere {
                    settings.log.administratorError(
                        .homeMissing,
                        "a token with a secure channel cannot be activated: the user has no home directory")
                }
            } else if try session.hasRecord(of: capabilities.serial) {
                session.protection = .unpaired(capabilities)
                session.warn(
                    .activationDamaged,
                    "the record of the pairing is damaged or of a later version: C_EX_SetActivationPassword comes first"
                )
            } else {
                session.protection = .plain
            }
        case .absent:
            // If a channel is required, nothing is sent without one, not even to learn the serial number.
            guard !mustProtect else {
                // With unusable pairings, report their error instead of a missing channel.
                if case .unusable = settings.pairings { _ = try session.pairingStore() }
                session.protection = .unpaired(nil)
                session.warn(.channelNone, "the token offers no secure channel, and is not used without one")
                return
            }
            try readSerialIfUnknown()
            guard try !session.isPaired() else {
                session.protection = .unpaired(nil)
                return session.report(
                    .attackNoChannelAnyMore, "the token offers no secure channel any more: possible downgrade attack")
            }
            guard !mustShow else {
                session.protection = .unpaired(nil)
                return session.report(
                    .attackNoChannel,
                    "a Bluetooth token offers no secure channel, and plain_bluetooth does not allow that")
            }
            session.protection = .plain
            session.tokens.insertPlain(atr: session.identity.atr, serial: session.identity.serial)
        }
    }

    /// Whether this process has asked this token before, and it had no channel. A record that was made since then by
    /// another process counts.
    private func isKnownAsPlain() throws(TokenError) -> Bool {
        guard session.tokens.isPlain(atr: session.identity.atr) else { return false }
        do throws(TokenError) { try readSerialIfUnknown() } catch {
            guard case .refused = error else { throw error }
            return false
        }
        guard session.tokens.isPlain(atr: session.identity.atr, serial: session.identity.serial) else {
            return false
        }
        return try !session.isPaired()
    }

    /// The card's answer about its channel.
    func discovery() throws(TokenError) -> Discovery {
        do { return try Discovery.run(over: link) } catch {
            session.proven = nil
            throw .channel(error)
        }
    }

    /// Finds out whether the reader has a PIN pad.
    func seePINPad() {
        session.pinPad = settings.policy.usesPINPads && !session.isFolder ? link.pinPad : nil
    }

    /// Finds out whether the token is reached over the air. The reader is asked in a transaction.
    func seeAir() {
        guard !session.isFolder else { return }
        let identity = session.identity
        session.identity.isWireless =
            settings.policy.isWireless(identity.reader, answer: identity.atr) || link.isContactless
    }
}
