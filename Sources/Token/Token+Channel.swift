import APDU
import Locking
import Logging
public import Secrets
import Storage
public import SecureChannel

extension Token {
    /// Activates the secure channel: exchanges long-term keys under the activation password and opens a session
    /// (gsc1, 8 and 10). A token that is activated already is paired again in its place.
    public func activate(with password: borrowing ActivationPassword) throws(TokenError) {
        let offered = try exclusively { () throws(TokenError) in try offeredCapabilities() }
        guard let capabilities = offered else { throw .activationNeeded }
        guard let store = try pairingStore(create: true) else { throw .activationNeeded }
        let profile: Profile
        let former: PairingRecord?
        // Another process can hold the lock of the store: nobody waits for it while the token is held.
        do throws(ChannelError) {
            let pinned = try pairing(with: capabilities.serial, in: store)?.profile
            profile = try capabilities.profile(minimum: settings.policy.minimumProfile, pinned: pinned)
            former = try store.record(serial: capabilities.serial, profile: profile)
            try store.prepare(for: profile, random: settings.random)
        } catch {
            throw failure(error)
        }
        try exclusively { () throws(TokenError) in
            do throws(ChannelError) {
                if profile == .classic { warn("pairing in the classic profile") }
                channel = try SecureChannel.activate(
                    with: password, over: link, capabilities: capabilities, profile: profile,
                    label: settings.hostLabel, store: store, instance: history.instance, random: settings.random)
            } catch {
                throw failure(error)
            }
            guard let record = try pairing(with: capabilities.serial) else { throw .activationNeeded }
            protection = .paired(record)
            serial = capabilities.serial
            // Only a verified reply tells that the token has opened the session, and with it made its record active.
            try establish()
            acceptKey(of: record, after: former, in: store)
        }
    }

    /// The user has activated the token: its key is the right one, though it may not be the one from before.
    private func acceptKey(of record: PairingRecord, after former: PairingRecord?, in store: PairingStore) {
        do throws(ChannelError) {
            let isChanged = former.map { $0.tokenKey != record.tokenKey } ?? false
            if try store.isKeyChanged(record) || isChanged {
                report(
                    "the token was activated with another key than before: its channel was reset, or it is another token"
                )
            }
            try store.accept(record)
        } catch {
            _ = failure(error)
        }
    }

    /// Has the token make a new activation password (gsc1, 6). Needs the SO's login.
    ///
    /// - Parameter slot: 1 to 6, or 0 for the next empty one.
    /// - Returns: The password in its canonical form.
    public func generateActivationPassword(
        slot: UInt8, charset: SecureChannel.Charset
    ) throws(TokenError) -> Secret {
        var password = Secret(count: 0)
        try transaction { () throws(TokenError) in
            guard case .paired = protection, let channel else { throw .activationNeeded }
            guard login == .securityOfficer else { throw .notLoggedIn }
            hasActed = true
            do throws(ChannelError) {
                password = try channel.generateActivationPassword(slot: slot, charset: charset, isOneTime: false)
                tokenAnswered()
            } catch {
                if case .link(let error) = error { throw linkFailed(error) }
                throw .channel(error)
            }
        }
        return password
    }

    /// Opens the channel with the stored pairing, unless it is open or the token needs none (gsc1, 12).
    func openChannelIfNeeded() throws(TokenError) {
        guard case .paired(let record) = protection, channel?.isOpen != true else { return }
        let now = settings.clocks.uptime.now
        guard !history.opens.isFault(at: now) else { throw .faulty }
        guard let store = try pairingStore(create: false) else { throw .activationNeeded }
        if record.profile == .classic { warn("opening a channel in the classic profile") }
        do throws(ChannelError) {
            let channel = try openChannel(by: record, or: store)
            self.channel = channel
            try requireHighestProfile()
            protection = .paired(channel.record)
            mustPresentPIN = login != nil
            store.remember(channel.record)
            store.markUsed(channel.record, label: hints?.label)
        } catch {
            if error.isFruitlessOpening { history.opens.countFruitless(at: now) }
            if error.isRefusedOpening { try requireSameOffer() }
            guard error == .unknownRecord else { throw failure(error) }
            // The record is kept: this answer is not authenticated (gsc1, 15.2 a).
            warn("the token does not know this host any more: activate it again")
            throw .activationNeeded
        }
    }

    /// Opens a session by a record. Where the token does not know its host any more, another pairing of the profile may
    /// still be good: a synchronised store has one for each machine that paired.
    private func openChannel(
        by record: PairingRecord, or store: PairingStore
    ) throws(ChannelError) -> SecureChannel {
        func open(by record: PairingRecord) throws(ChannelError) -> SecureChannel {
            try SecureChannel.open(
                over: link, record: record, store: store, instance: history.instance,
                minimum: settings.policy.minimumProfile, random: settings.random, uptime: settings.clocks.uptime)
        }
        var result = Result { () throws(ChannelError) in try open(by: record) }
        guard case .failure(.unknownRecord) = result else { return try result.get() }
        let others = try store.records(serial: record.capabilities.serial, profile: record.profile)
        for other in others where other.hostID != record.hostID {
            result = Result { () throws(ChannelError) in try open(by: other) }
            guard case .failure(.unknownRecord) = result else { break }
        }
        return try result.get()
    }

    /// Drops a channel in the classic profile if the token, proved to be what it is, now offers the modern one: the user
    /// pairs again (gsc1, 4).
    private func requireHighestProfile() throws(ChannelError) {
        guard let current = channel, let best = current.capabilities.bestProfile, best > current.record.profile else {
            return
        }
        current.close()
        channel = nil
        throw .profileRaised
    }

    /// Gives a session that has come of age fresh keys, with login and environment kept (gsc1, 12).
    func renewChannelIfNeeded() throws(TokenError) {
        guard let channel, channel.needsRenewal, let store = try pairingStore(create: false) else { return }
        do throws(ChannelError) {
            try channel.renew(store: store, random: settings.random)
        } catch {
            // A refusal leaves everything as it was.
            guard !channel.isOpen else { return }
            self.channel = nil
            throw .link(.channelBroken)
        }
    }

    func warn(_ message: String) { settings.log.warning("\(message)", metadata: ["reader": "\(reader)"]) }
    func report(_ message: String) { settings.log.securityEvent("\(message)", reader: reader) }

    private func offeredCapabilities() throws(TokenError) -> Capabilities? {
        switch protection {
        case .unpaired(let capabilities): return capabilities
        case .keyChanged(let capabilities): return capabilities
        case .paired, .plain, .unknown:
            do {
                guard case .present(let capabilities, _) = try Discovery.run(over: link) else { return nil }
                return capabilities
            } catch {
                throw .channel(error)
            }
        }
    }

    /// The pairing with a token in the highest profile that there is one in.
    func pairing(with serial: [UInt8]) throws(TokenError) -> PairingRecord? {
        guard let store = try pairingStore(create: false) else { return nil }
        do { return try pairing(with: serial, in: store) } catch { throw failure(error) }
    }

    func pairing(
        with serial: [UInt8], in store: PairingStore
    ) throws(ChannelError) -> PairingRecord? {
        for profile in Profile.allCases.reversed() {
            if let record = try store.record(serial: serial, profile: profile) { return record }
        }
        return nil
    }

    /// The store of pairings; nil if there is none and none is to be made.
    func pairingStore(create: Bool) throws(TokenError) -> PairingStore? {
        do throws(StorageError) {
            return try PairingStore.open(
                settings.pairings, create: create, random: settings.random, patience: settings.storePatience)
        } catch {
            let path = settings.pairings.path
            let reason: Logger.Message = "the pairings\(path.isEmpty ? "" : " in " + path) cannot be used: \(error)"
            // That others share a store is no error.
            if error == .denied(.otherMembers) {
                settings.log.notice(reason)
            } else {
                settings.log.administratorError(reason)
            }
            throw .channel(.storage(error))
        }
    }

    /// Passes a failure on, with what the user has to know of it in the log.
    func failure(_ error: ChannelError) -> TokenError {
        switch error {
        case .storage(let reason):
            settings.log.administratorError(
                "a file of the pairings in \(settings.pairings.path) cannot be used: \(reason)")
        case .downgradeSuspected: report("other capabilities than before: possible downgrade attack")
        case .authenticationFailed, .reflection:
            report("the token cannot prove that it is the one that was activated: possible attack")
        case .profileRaised: warn("the token now offers a better profile: activate it again")
        case .profileUnsupported: warn("the token, or the password, lacks the profile that minimum_profile demands")
        default: break
        }
        return .channel(error)
    }
}

extension ChannelError {
    /// Whether a card answered an attempt to open, and not as the one that this host is paired with does.
    fileprivate var isRefusedOpening: Bool {
        if case .link = self { return false }
        return self == .unknownRecord || isFruitlessOpening
    }

    /// Whether an attempt to open reached the token and led to nothing. A token that left is another matter.
    fileprivate var isFruitlessOpening: Bool {
        switch self {
        case .link(let error): error.outcome == .unknown
        case .malformedResponse, .authenticationFailed, .reflection, .refused: true
        default: false
        }
    }
}
