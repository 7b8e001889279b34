import APDU
import SecureChannel
import Storage

/// How a token is to be spoken to (GSC/1, 4).
extension Token {
    /// Asks the card whether it has a channel, and decides how to speak to it (gsc1, 4). What it answers is not
    /// authenticated: it can raise the protection, and lower nothing. Where the pairings cannot be read, the answer is
    /// not at all: the token can be seen, and nothing else.
    func discover() throws(TokenError) {
        do throws(TokenError) {
            try decideProtection()
        } catch {
            guard case .channel(.storage) = error else { throw error }
            protection = .unknown(error)
        }
    }

    private func decideProtection() throws(TokenError) {
        let mustProtect = isWireless || settings.policy.requireSM
        // A card can say that it is of any model: one that has the channel must show it.
        let mustShow = model == .ecpBluetooth && !settings.policy.plainBluetooth
        if !mustProtect, !mustShow, try isKnownAsPlain() { return }
        let discovery: Discovery
        do { discovery = try Discovery.run(over: link) } catch { throw .channel(error) }
        switch discovery {
        case .present(let capabilities, let hints):
            serial = capabilities.serial
            self.capabilities = capabilities
            self.hints = hints
            if let record = try pairing(with: capabilities.serial) {
                guard try !isKeyChanged(record) else {
                    protection = .keyChanged(capabilities)
                    return report(
                        "another user has activated the token with another key than before, or put another token in its "
                            + "place: C_EX_SetActivationPassword accepts it")
                }
                protection = .paired(record)
            } else if mustProtect || mustShow || capabilities.policy.contains(.requiredWired) {
                protection = .unpaired(capabilities)
                warn("the token is not activated: C_EX_SetActivationPassword comes first")
                if settings.pairings == .nowhere {
                    settings.log.administratorError(
                        "a token with a secure channel cannot be activated: the user has no home directory")
                }
            } else if try hasRecord(of: capabilities.serial) {
                protection = .unpaired(capabilities)
                warn(
                    "the record of the pairing is damaged or of a later version: C_EX_SetActivationPassword comes first"
                )
            } else {
                protection = .plain
            }
        case .absent:
            // Where a channel is a must nothing is sent without, not even to learn the serial number.
            guard !mustProtect else {
                // Who does not know what is configured cannot say that a channel is missing.
                if case .unusable = settings.pairings { _ = try pairingStore(create: false) }
                protection = .unpaired(nil)
                warn("the token offers no secure channel, and is not used without one")
                return
            }
            try readSerialIfUnknown()
            guard try !isPaired(with: serial) else {
                protection = .unpaired(nil)
                return report("the token offers no secure channel any more: possible downgrade attack")
            }
            guard !mustShow else {
                protection = .unpaired(nil)
                return report("a Bluetooth token offers no secure channel, and plain_bluetooth does not allow that")
            }
            protection = .plain
            settings.plainTokens.insert(atr: atr, serial: serial)
        }
    }

    /// Whether this process has asked this token before, and it had no channel. A record that was made since then by
    /// another process counts.
    private func isKnownAsPlain() throws(TokenError) -> Bool {
        guard settings.plainTokens.contains(atr: atr) else { return false }
        do throws(TokenError) { try readSerialIfUnknown() } catch {
            guard case .refused = error else { throw error }
            return false
        }
        guard settings.plainTokens.contains(atr: atr, serial: serial) else { return false }
        return try !isPaired(with: serial)
    }

    /// Makes sure that what was decided for an earlier connection still holds: nobody has paired with the token since.
    func requireUnpaired() throws(TokenError) {
        guard try !isPaired(with: serial) else { throw .activationNeeded }
    }

    /// Whether a token that offers no channel was paired with. Who is outside of the group whose store is configured can
    /// never have paired with one: such a user keeps the tokens that have no channel.
    private func isPaired(with serial: [UInt8]) throws(TokenError) -> Bool {
        do throws(TokenError) { return try hasRecord(of: serial) } catch {
            guard error == .channel(.storage(.denied(.otherMembers))) else { throw error }
            return false
        }
    }

    private func isKeyChanged(_ record: PairingRecord) throws(TokenError) -> Bool {
        guard let store = try pairingStore(create: false) else { return false }
        do { return try store.isKeyChanged(record) } catch { throw failure(error) }
    }

    /// Whether there is a record of the token, sound or not (gsc1, 4).
    private func hasRecord(of serial: [UInt8]) throws(TokenError) -> Bool {
        guard let store = try pairingStore(create: false) else { return false }
        do { return try store.hasRecord(serial: serial) } catch { throw failure(error) }
    }
}
