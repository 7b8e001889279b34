// SPDX-License-Identifier: Apache-2.0
import Locking
import Logging
import SecureChannel
import Storage
import Translation

extension TokenSettings {
    /// The store of pairings; nil if it does not exist and is not to be created.
    func pairingStore(create: Bool = false) throws(TokenError) -> PairingStore? {
        let location = pairings
        do throws(StorageError) {
            let store = try PairingStore.open(location, create: create, random: random, patience: storePatience)
            if store?.isCrowded == true { tellCrowding() }
            return store
        } catch {
            let path = location.path
            let reason: Logger.Message = "the pairings\(path.isEmpty ? "" : " in " + path) cannot be used: \(error)"
            // A store that others share is not an error.
            switch error {
            case .denied(.otherMembers): log.identified(.notice, .storeUnusable, reason)
            case .noDescriptors: log.administratorError(.processDescriptors, reason)
            case .denied(.configuration): log.administratorError(.configurationClosed, reason)
            default: log.administratorError(.storeUnusable, reason)
            }
            throw .channel(.storage(error))
        }
    }

    /// Warns the administrator once that the replicated directory has more files than are looked at.
    private func tellCrowding() {
        let isTold = hasToldCrowding.withLock { isTold in
            defer { isTold = true }
            return isTold
        }
        guard !isTold else { return }
        log.administratorError(
            .storeCrowded,
            "\(pairings.path) has more files than are looked at, and pairings may be missing: remove those of others")
    }

    /// The error of a file in the store, which is reported to the administrator.
    func storageFailure(_ error: ChannelError) -> TokenError {
        if case .storage(let reason) = error {
            log.administratorError(
                .storeUnusable, "a file of the pairings in \(pairings.path) cannot be used: \(reason)")
        }
        return .channel(error)
    }
}

/// The card in the store of pairings.
extension CardSession {
    /// The store of pairings; nil if it does not exist and is not to be created.
    func pairingStore(create: Bool = false) throws(TokenError) -> PairingStore? {
        try settings.pairingStore(create: create)
    }

    /// Returns what `body` reads in the store; nil without a store.
    private func reading<Result>(_ body: (PairingStore) throws(ChannelError) -> Result) throws(TokenError) -> Result? {
        guard let store = try pairingStore() else { return nil }
        do throws(ChannelError) { return try body(store) } catch { throw failure(error) }
    }

    /// The pairing with a token, in the highest profile that has one.
    func pairing(with serial: [UInt8]) throws(TokenError) -> PairingRecord? {
        try reading { store throws(ChannelError) in try store.pairing(with: serial) } ?? nil
    }

    /// Whether there is a record of the token, sound or not (GSC/1, 4).
    func hasRecord(of serial: [UInt8]) throws(TokenError) -> Bool {
        try reading { store throws(ChannelError) in try store.hasRecord(serial: serial) } ?? false
    }

    /// Whether the store has a different key of the token than this user knows.
    func isKeyChanged(_ record: PairingRecord) throws(TokenError) -> Bool {
        try reading { store throws(ChannelError) in try store.isKeyChanged(record) } ?? false
    }

    /// Whether the pairing that a channel is about to be opened with was not removed since it was read.
    func isKept(_ record: PairingRecord, in store: PairingStore) throws(TokenError) -> Bool {
        do throws(ChannelError) { return try store.holds(record) } catch { throw failure(error) }
    }

    /// Makes sure that the decision for an earlier connection still holds: the token was not paired since.
    func requireUnpaired() throws(TokenError) {
        guard try !isPaired() else { throw .activationNeeded }
    }

    /// Whether a token that offers no channel was paired with. A user outside the group of the configured store can
    /// never have paired, and keeps the tokens that have no channel.
    func isPaired() throws(TokenError) -> Bool {
        do throws(TokenError) { return try hasRecord(of: identity.serial) } catch {
            guard error == .channel(.storage(.denied(.otherMembers))) else { throw error }
            return false
        }
    }

    /// Passes a failure on, and logs its cause for the user.
    func failure(_ error: ChannelError) -> TokenError {
        switch error {
        case .storage: return settings.storageFailure(error)
        case .downgradeSuspected: report(.attackDowngrade, "other capabilities than before: possible downgrade attack")
        case .authenticationFailed, .reflection:
            report(
                error == .reflection ? .attackReflection : .attackUnproven,
                "the token cannot prove that it is the one that was activated: possible attack")
        case .profileRaised:
            warn(.activationBetterProfile, "the token now offers a better profile: activate it again")
        case .profileUnsupported:
            warn(
                .channelProfile, "the token, or the password, lacks the profile that minimum_profile demands")
        default: break
        }
        return .channel(error)
    }
}

extension PairingStore {
    /// The pairing with a token, in the highest profile that has one.
    func pairing(with serial: [UInt8]) throws(ChannelError) -> PairingRecord? {
        for profile in Profile.allCases.reversed() {
            if let record = try record(serial: serial, profile: profile) { return record }
        }
        return nil
    }
}
