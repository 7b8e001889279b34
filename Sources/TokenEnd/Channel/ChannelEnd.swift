// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import Secrets

/// The token's end of the secure channel GSC/1: its sessions, and the handshake under way.
final class ChannelEnd {
    let card: any ChannelCard
    let offer: ChannelOffer
    /// The sessions by channel number; nil for a free channel.
    var sessions: [ChannelEndSession?]
    /// The handshake that the next command may complete.
    var handshake: Handshake?
    /// Counts accepted commands and openings, to know which session was used last.
    private(set) var time: UInt64 = 0

    /// The number of hosts in a row that failed to prove themselves in OPEN-2.
    var failures = 0

    init(card: any ChannelCard, offer: ChannelOffer) {
        self.card = card
        self.offer = offer
        sessions = Array(repeating: nil, count: offer.sessions)
    }

    /// Its lasting state.
    var state: ChannelState {
        get { card.channel }
        set { card.channel = newValue }
    }

    /// The profiles that are offered and for which there is a key pair.
    var profiles: [ChannelProfile] { offer.profiles.filter { state.keys[$0] != nil } }

    /// The profile that P2 names, if it is there.
    func profile(_ number: UInt8) throws(Refusal) -> ChannelProfile {
        guard let profile = ChannelProfile(rawValue: number) else { throw Refusal(.incorrectParameters) }
        try require(profiles.contains(profile), else: .functionNotSupported)
        return profile
    }

    func tick() -> UInt64 {
        time += 1
        return time
    }

    /// Loss of power.
    func reset() {
        sessions = Array(repeating: nil, count: offer.sessions)
        handshake = nil
    }

    /// The card was erased: the sessions stay open and lose everything else.
    func clearContexts() {
        for session in sessions {
            session?.context.clear()
            session?.pending = nil
        }
    }

    /// The number of commands with failed verification that ends a session.
    private var strikes: Int { offer.sessions == 1 ? 1 : 8 }

    /// Answers a command under protection on a channel: the body of the reply, or a bare status word.
    func executeProtected(
        _ command: borrowing Command, channel: Int, handshake: Handshake?
    ) throws(Refusal) -> [UInt8] {
        guard let session = sessions[channel] else { throw Refusal(.conditionsNotSatisfied) }
        var action = PostReplyAction.none
        let response: Response
        do throws(MessageProtection.Failure) {
            let inner = try session.protection.open(command, maximum: offer.maximumCommand)
            session.lastUse = tick()
            response = execute(inner, in: session, channel: channel, handshake: handshake, then: &action)
        } catch .tooLong {
            session.lastUse = tick()
            session.context.abortChain()
            session.pending = nil
            response = Response(.wrongLength)
        } catch {
            throw refuse(error, channel: channel)
        }
        guard let body = try? session.protection.seal(response, isPadded: command.makesPassword) else {
            sessions[channel] = nil
            throw Refusal(.secureMessagingIncorrect)
        }
        finish(action, channel: channel)
        return body
    }

    /// A command that cannot be trusted is a strike against its session, or its end (GSC/1, 11.2).
    private func refuse(_ failure: MessageProtection.Failure, channel: Int) -> Refusal {
        sessions[channel]?.strikes += 1
        let isOver = (sessions[channel]?.strikes ?? 0) >= strikes
        switch failure {
        case .missing, .incorrect:
            if isOver { sessions[channel] = nil }
        case .padding, .exhausted, .tooLong:
            sessions[channel] = nil
        }
        if case .missing = failure { return Refusal(.secureMessagingMissing) }
        return Refusal(.secureMessagingIncorrect)
    }

    /// The change of the sessions once the reply is sealed.
    func finish(_ action: PostReplyAction, channel: Int) {
        switch action {
        case .none: break
        case .close: sessions[channel] = nil
        case .unpair(let record): eraseSessions(of: record)
        case .reset: sessions = Array(repeating: nil, count: offer.sessions)
        case .renew(let run):
            guard let protection = try? MessageProtection(run.profile, seed: run.seed.secret) else {
                sessions[channel] = nil
                return
            }
            sessions[channel]?.protection = protection
            sessions[channel]?.exporter = run.exporter
        }
    }

    func eraseSessions(of record: Int) {
        for index in sessions.indices where sessions[index]?.record == record { sessions[index] = nil }
    }
}

extension Command {
    /// Whether the answer holds an activation password, and must be padded (GSC/1, 13.2).
    fileprivate var makesPassword: Bool { ins == 0x86 && p1 == 0x11 }
}
