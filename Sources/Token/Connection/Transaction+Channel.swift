// SPDX-License-Identifier: Apache-2.0

import APDU
import Locking
import SecureChannel
import Translation

extension Transaction {
    /// Opens the channel with the stored pairing, unless it is open or the token needs none (GSC/1, 12). A refusal is
    /// remembered: a pairing that opens no channel makes no token ready.
    func openChannelIfNeeded() throws(TokenError) {
        guard case .paired(let record) = session.protection, channel?.isOpen != true else { return }
        do throws(TokenError) {
            try openChannel(by: record)
        } catch {
            session.refusal = error.refusal(of: record, settings.policy.minimumProfile) ?? session.refusal
            throw error
        }
    }

    private func openChannel(by record: PairingRecord) throws(TokenError) {
        let now = settings.clocks.uptime.now
        guard !session.history.opens.isFault(at: now) else { throw .faulty }
        guard let store = try session.pairingStore() else { throw .activationNeeded }
        guard try session.isKept(record, in: store) else {
            session.warn(.activationRemoved, "the pairing was removed on this machine: activate the token again")
            throw .activationNeeded
        }
        if record.profile == .classic { session.warn(nil, "opening a channel in the classic profile") }
        do throws(ChannelError) {
            let channel = try openChannel(by: record, or: store)
            session.channel = channel
            try requireHighestProfile()
            session.protection = .paired(channel.record)
            session.login.mustPresentPIN = login != nil
            store.remember(channel.record)
            store.markUsed(channel.record, label: session.identity.hints?.label)
        } catch {
            if error.isFruitlessOpening { session.history.opens.countFailure(at: now) }
            if error.isRefusedOpening { try requireSameOffer() }
            guard error == .unknownRecord else { throw session.failure(error) }
            // The record is kept: this answer is not authenticated (GSC/1, 15.2 a).
            session.warn(.activationUnknownHost, "the token does not know this host any more: activate it again")
            throw .channel(.unknownRecord)
        }
    }

    /// Opens a session by a record. If the token does not know its host any more, another pairing of the profile may
    /// still be good: a synchronised store has one for each machine that paired.
    private func openChannel(by record: PairingRecord, or store: PairingStore) throws(ChannelError) -> SecureChannel {
        func open(by record: PairingRecord) throws(ChannelError) -> SecureChannel {
            try SecureChannel.open(
                over: link, record: record, store: store, instance: session.history.instance,
                minimum: settings.policy.minimumProfile, random: settings.random, uptime: settings.clocks.uptime)
        }
        var result = Result { () throws(ChannelError) in try open(by: record) }
        guard case .failure(.unknownRecord) = result else { return try result.get() }
        let others = try store.records(serial: record.capabilities.serial, profile: record.profile)
        for other in others where other.hostID != record.hostID {
            // Another member of a group may have written it since the discovery.
            guard try !store.isKeyChanged(other) else { continue }
            result = Result { () throws(ChannelError) in try open(by: other) }
            guard case .failure(.unknownRecord) = result else { break }
        }
        return try result.get()
    }

    /// Drops a channel in the classic profile if the token, proved to be what it is, now offers the modern one: the user
    /// pairs again (GSC/1, 4).
    private func requireHighestProfile() throws(ChannelError) {
        guard let channel, let best = channel.capabilities.bestProfile, best > channel.record.profile else { return }
        channel.close()
        session.channel = nil
        throw .profileRaised
    }

    /// Runs `body` with the open channel, for one of the channel's own commands (GSC/1, 6).
    func inChannel<Result: ~Copyable>(
        _ body: (SecureChannel) throws(ChannelError) -> Result
    ) throws(TokenError) -> Result {
        guard session.isProtected, let channel else { throw .activationNeeded }
        do throws(ChannelError) {
            let result = try body(channel)
            cardAnswered()
            return result
        } catch {
            if case .link(let error) = error { throw linkFailed(error) }
            cardAnswered()
            throw error == .refused(.securityStatusNotSatisfied) ? .notLoggedIn : .channel(error)
        }
    }

    /// Renews an aged session's keys, with login and environment kept (GSC/1, 12).
    func renewChannelIfNeeded() throws(TokenError) {
        guard let channel, channel.needsRenewal, let store = try session.pairingStore() else { return }
        do throws(ChannelError) { try channel.renew(store: store, random: settings.random) } catch {
            // A refusal leaves everything as it was.
            guard !channel.isOpen else { return }
            session.channel = nil
            throw .link(.channelBroken)
        }
    }
}

extension TokenError {
    /// The state of the channel of a paired token that was not opened; nil for an error that does not show it.
    func refusal(of record: PairingRecord, _ minimum: Profile) -> ChannelInfo.State? {
        switch self {
        case .activationNeeded, .channel(.profileRaised): return .inactive
        case .channel(.unknownRecord): return .forgotten
        case .channel(.profileUnsupported):
            let isOffered = (try? record.capabilities.profile(minimum: minimum, pinned: nil)) != nil
            return isOffered ? .inactive : .unusable
        case .faulty: return .unusable
        default: return isChannelError ? .unusable : nil
        }
    }
}

extension ChannelError {
    /// Whether a card answered an attempt to open, but not like the card that this host is paired with.
    fileprivate var isRefusedOpening: Bool {
        if case .link = self { return false }
        return self == .unknownRecord || isFruitlessOpening
    }

    /// Whether an attempt to open reached the token and failed. A token that left does not count.
    fileprivate var isFruitlessOpening: Bool {
        switch self {
        case .link(let error): error.outcome == .unknown
        case .malformedResponse, .authenticationFailed, .reflection, .refused: true
        default: false
        }
    }
}

/// Several commands in one round trip (GSC/1, 13.4).
extension Transaction {
    /// Sends commands in as few round trips as the token allows: as batches in a channel that has them, else one by one.
    ///
    /// - Parameters:
    ///   - goesOn: Whether to go on after a command that the token refuses.
    ///   - asking: Whether to ask for the change counter before, unless the transaction has done so.
    /// - Returns: The answers to the commands that were executed, in their order: at least one, unless `asking`.
    func send(
        _ commands: [CardCommand], goesOn: Bool = false, asking: Bool = false
    ) throws(TokenError) -> [Response] {
        let isAsked = asking && !state.hasAsked
        let commands = isAsked ? [.changeCounter] + commands : commands
        var responses: [Response] = []
        while responses.count < commands.count {
            responses += try sendSome(of: commands[responses.count...], goesOn: goesOn)
            guard goesOn || responses.last?.status == .success else { break }
        }
        if isAsked, !responses.isEmpty { takeChangeCounter(from: responses.removeFirst()) }
        return responses
    }

    /// Sends a command and collects the whole answer.
    func send(_ command: CardCommand) throws(TokenError) -> Response { try send(command.apdu) }

    /// Sends a command that has to succeed.
    @discardableResult
    func perform(_ command: CardCommand) throws(TokenError) -> [UInt8] { try perform(command.apdu) }

    /// Sends commands that all have to succeed.
    ///
    /// - Returns: The data of the last answer.
    @discardableResult
    func perform(_ commands: [CardCommand]) throws(TokenError) -> [UInt8] {
        guard let last = try send(commands).last else { throw .malformedAnswer }
        return try data(of: last)
    }

    /// Sends as many of the commands as fit in one round trip.
    func sendSome(of commands: ArraySlice<CardCommand>, goesOn: Bool) throws(TokenError) -> [Response] {
        guard let channel, let batch = channel.largestBatch(of: commands, goesOn: goesOn) else {
            guard let command = commands.first else { return [] }
            return [try send(command)]
        }
        let sent = commands.prefix(batch.count)
        if sent.contains(where: { $0.apdu.setsKey }) { session.known.environment = nil }
        let hadActed = session.progress.hasActed
        if !sent.allSatisfy({ $0.apdu.isIdempotent }) { session.progress.hasActed = true }
        let responses: [Response]
        do throws(LinkError) {
            responses = try channel.transmit(batch)
            cardAnswered()
        } catch {
            throw failed(error, hadActed)
        }
        try spend(bytes: responses.reduce(0) { $0 + $1.data.count }, commands: responses.count)
        note(sent, responses)
        return responses
    }
}

extension SecureChannel {
    /// A batch of as many of the commands as fit; nil if that is not more than one.
    fileprivate func largestBatch(of commands: ArraySlice<CardCommand>, goesOn: Bool) -> Batch? {
        for count in stride(from: min(commands.count, 16), to: 1, by: -1) {
            var batch = Batch(goesOn: goesOn)
            for command in commands.prefix(count) { batch.append(command.apdu) }
            if canTransmit(batch) { return batch }
        }
        return nil
    }
}
