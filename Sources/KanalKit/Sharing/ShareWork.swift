// SPDX-License-Identifier: Apache-2.0

import APDU
import Locking
import Secrets
import Storage
import TokenEnd
import Translation
import VirtualReaders

/// The work of a share: finding the token, reaching the far reader, and carrying commands between them.
final class ShareWork {
    let settings: Share.Settings
    private let directory: String
    let readers: any OwnedCardService
    let clocks: Clocks
    private let ask: @Sendable (ShareQuestion) -> Bool
    let report: @Sendable (Share.Event) -> Void
    private let isCancelled: () -> Bool
    private let end: Duration?
    /// The state of the hosts' sessions.
    private let sessions = Lock(Sessions())
    private var shown = Shown()
    private var attempts: Attempts

    private struct Sessions {
        private(set) var open = 0
        /// Whether a host has logged in.
        var wereOfUse = false
        private var lastEnd = Duration.zero
        private var pause = ShareWork.interlude

        mutating func count(_ number: Int, at now: Duration) {
            if number > 0 { pause = ShareWork.interlude } else if open > 0 { lastEnd = now }
            open = number
        }

        /// The sessions are about to end without their hosts.
        mutating func breakOff() {
            if open > 0 { pause = ShareWork.interruption }
        }

        func areOver(at now: Duration) -> Bool { wereOfUse && open == 0 && now - lastEnd >= pause }
    }

    /// The values reported last, and those to report.
    private struct Shown {
        var state: Share.State?
        var commands = 0
        var bytes = 0
        var reported = 0
        var time = Duration.zero
    }

    /// The interval of looking for a missing token or far reader, and of checking whether the share is to go on.
    static let tick = Duration.milliseconds(250)
    /// The interval of checking whether the token has left while the far reader has it. The reader itself asks for the
    /// card every 400 ms, and is waited for a little longer, so that the share wakes up for little else.
    private static let presenceInterval = Duration.seconds(1)
    private static let frameTimeout = 500
    /// A reader that works asks for the card several times a second.
    private static let readerTimeout = Duration.seconds(10)
    /// The time limit of a tunnel before the reader asks for the first time: its user may be asked for a password.
    private static let tunnelTimeout = Duration.seconds(60)
    /// The time for which the far reader stays empty before the token comes. pcscd looks every 400 ms, and would take a
    /// token that comes sooner after another for that one.
    private static let emptyTime = Duration.milliseconds(600)

    /// The time without a session after which a share that is good for one use ends: programs end one and begin
    /// another.
    private static let interlude = Duration.seconds(3)
    /// The same after the token was reset by a program, or was out of the hosts' reach: their programs go on when they
    /// call it again. A far reader without programs is powered off instead.
    private static let interruption = Duration.seconds(20)

    init(
        _ settings: Share.Settings, directory: String, readers: any OwnedCardService, clocks: Clocks,
        ask: @escaping @Sendable (ShareQuestion) -> Bool, report: @escaping @Sendable (Share.Event) -> Void,
        isCancelled: @escaping () -> Bool
    ) {
        (self.settings, self.directory) = (settings, directory)
        self.readers = readers
        self.clocks = clocks
        self.ask = ask
        self.report = report
        self.isCancelled = isCancelled
        end = settings.duration.map { clocks.uptime.now + $0 }
        attempts = Attempts(clocks.awake.now)
    }

    var mayGoOn: Bool {
        if isCancelled() { return false }
        if let end, clocks.uptime.now >= end { return false }
        guard settings.isOnce else { return true }
        let now = clocks.awake.now
        return !sessions.withLock { $0.areOver(at: now) }
    }

    func run() throws(ShareError) {
        let first = try findFirst()
        defer { first.card.giveBack() }
        guard first.way == .terminate || !settings.needsEnd else { throw .unlimited(reader: first.reader) }
        show(.normal)
        report(.token(serial: first.shownSerial, reader: first.reader, way: first.way))
        guard first.way == .terminate else {
            return try carry(first) { [report, sessions, clocks] token in
                PassingCard(token.card, report: report) { seen in
                    let now = clocks.awake.now
                    sessions.withLock { sessions in
                        sessions.count(seen.open, at: now)
                        if seen.wereOfUse { sessions.wereOfUse = true }
                    }
                }
            }
        }

        let records = try ShareRecords(path: directory, serial: first.serial)
        let failure: (StorageError) -> ShareError = { $0 == .locked ? .inUse(reader: first.reader) : .storage($0) }
        try records.directory.withLock(waiting: false, failure: failure) { () throws(ShareError) in
            _ = try channelState(records)
            try carry(first) { [self] token throws(ShareError) in
                let policy = SharePolicy(
                    permissions: settings.permissions, confirmation: settings.confirmation,
                    isOnce: settings.isOnce, ask: ask, report: told)
                guard let state = try records.load() else { throw .damagedRecords }
                return TerminatingCard(
                    SharedCard(token, state, records: records, policy: policy) { [clocks] milliseconds in
                        clocks.pause(.milliseconds(milliseconds))
                    })
            }
        }
    }

    /// The stored keys, verifiers and pairings; new ones for a token that was never shared. A new password is reported.
    private func channelState(_ records: ShareRecords) throws(ShareError) {
        let stored = try records.load()
        guard stored == nil || settings.makesPassword else { return }
        let offer = TerminatingCard.offer
        let password: String
        var state: ChannelState
        do {
            state = try stored ?? ChannelState(offer, random: SystemRandom())
            password = try state.renewPassword(of: 1, offer, random: SystemRandom())
        } catch is RandomUnavailable {
            throw .randomUnavailable
        } catch {
            throw .cryptography
        }
        do throws(StorageError) { try records.save(state) } catch { throw .storage(error) }
        report(.password(password))
    }

    /// Reports the policy's events, and tracks the hosts' sessions.
    private var told: @Sendable (Share.Event) -> Void {
        { [sessions, report, clocks] event in
            let now = clocks.awake.now
            sessions.withLock { sessions in
                switch event {
                case .opened: sessions.count(sessions.open + 1, at: now)
                case .closed: sessions.count(sessions.open - 1, at: now)
                case .loggedIn: sessions.wereOfUse = true
                default: break
                }
            }
            report(event)
        }
    }

    func show(_ state: Share.State) {
        guard state != shown.state else { return }
        shown.state = state
        report(.state(state))
    }

    // MARK: The two ends

    /// Carries commands until the share ends. The token and the far reader may come and go in the meantime.
    private func carry(
        _ first: LocalToken, _ make: (LocalToken) throws(ShareError) -> any RemoteCard
    ) throws(ShareError) {
        var token: LocalToken? = first
        defer { if let token, token.card !== first.card { token.card.giveBack() } }
        attempts.restart(at: clocks.awake.now)
        while mayGoOn {
            guard let present = token, present.card.isThere else {
                token?.card.giveBack()
                token = try findAgain(first)
                attempts.restart(at: clocks.awake.now)
                continue
            }
            show(.normal)
            let card = try make(present)
            guard var reader = try reach() else { return }
            let reason = serve(&reader, card, present)
            sessions.withLock { $0.breakOff() }
            card.reset()
            tellProgress(true)
            // The reader may report late that the token has left.
            if card.isLost {
                present.card.giveBack()
                token = nil
            }
            try attempts.note(reason ?? "the share has ended", self)
        }
    }

    /// The far reader, tried with growing pauses. Nil if the share ends first.
    private func reach() throws(ShareError) -> VirtualReader? {
        wait(Self.emptyTime)
        while mayGoOn {
            do throws(VirtualReaderError) {
                guard let tunnel = settings.tunnel else {
                    return try VirtualReader(host: settings.host, port: settings.port)
                }
                let command = try Tunnel(tunnel)
                return VirtualReader(command.socket, through: command)
            } catch {
                guard error != .invalidAddress else { throw .invalidAddress }
                try attempts.note(error.explanation, self)
            }
        }
        return nil
    }

    /// Waits, as long as the share may go on.
    func wait(_ duration: Duration) {
        let end = clocks.awake.now + duration
        while mayGoOn, clocks.awake.now < end { clocks.pause(min(Self.tick, end - clocks.awake.now)) }
    }

    /// Answers the far reader until one of both ends is gone.
    ///
    /// - Returns: Why it is over; nil if the share ends.
    private func serve(_ reader: inout VirtualReader, _ card: any RemoteCard, _ token: LocalToken) -> Phrase? {
        var timeout = settings.tunnel == nil ? Self.readerTimeout : Self.tunnelTimeout
        var lastFrame = clocks.awake.now
        var lastLook = lastFrame
        var answersWhole = false
        while mayGoOn {
            let frame: [UInt8]?
            do throws(VirtualReaderError) { frame = try reader.frame(within: Self.frameTimeout) } catch {
                return error.explanation
            }
            let now = clocks.awake.now
            if now - lastLook >= Self.presenceInterval {
                lastLook = now
                guard token.card.isThere else { return "the token was taken out" }
                tellProgress(false)
            }
            guard let frame else {
                if now - lastFrame >= timeout { return VirtualReaderError.silent.explanation }
                continue
            }
            lastFrame = now
            guard frame != WholeAnswers.request else {
                answersWhole = true
                continue
            }
            timeout = Self.readerTimeout
            attempts.succeed(self)
            do throws(VirtualReaderError) {
                switch frame {
                case []: return VirtualReaderError.closed.explanation
                case [0x00], [0x01], [0x02]:
                    if frame == [0x02] { sessions.withLock { $0.breakOff() } }
                    card.reset()
                case [0x04]: try reader.send(token.card.atr)
                default:
                    guard frame.count > 1 else { continue }
                    let answer = answersWhole ? card.wholeAnswer(frame) : card.answer(frame)
                    guard let answer else { return Phrase("the token was lost") }
                    shown.commands += 1
                    shown.bytes += frame.count + answer.count
                    try reader.send(answer)
                    lastFrame = clocks.awake.now
                }
            } catch {
                return error.explanation
            }
        }
        return nil
    }

    /// Reports progress once a second, or now.
    private func tellProgress(_ isLast: Bool) {
        guard shown.commands > shown.reported else { return }
        let now = clocks.awake.now
        guard isLast || now - shown.time >= .seconds(1) else { return }
        shown.time = now
        shown.reported = shown.commands
        report(.progress(commands: shown.commands, bytes: shown.bytes))
    }
}

/// Finding the token that is shared.
extension ShareWork {
    /// The only token, or the token of the settings. It is waited for as long as a field is open for it.
    func findFirst() throws(ShareError) -> LocalToken {
        while true {
            do throws(ShareError) { return try findNow() } catch {
                switch error {
                case .noToken, .notUsable: break
                default: throw error
                }
                guard let field = readers.field, mayGoOn else { throw error }
                if (try? occupiedReaders())?.isEmpty == false { field.letCardsGo() }
                wait(Self.tick)
            }
        }
    }

    private func findNow() throws(ShareError) -> LocalToken {
        var found: [LocalToken] = []
        var failure: ShareError?
        for reader in try occupiedReaders() {
            do throws(ShareError) {
                guard let token = try own(reader) else { continue }
                found.append(token)
            } catch {
                failure = failure ?? error
            }
        }
        let wanted = found.filter { token in settings.token.map { token.isCalled($0) } ?? true }
        for token in found where wanted.count != 1 || token.reader != wanted[0].reader { token.card.giveBack() }
        guard let first = wanted.first else { throw failure ?? .noToken }
        guard wanted.count == 1 else { throw .several(wanted.map { Phrase("\($0.shownSerial) in \($0.reader)") }) }
        return first
    }

    /// Waits for the token, in any reader. Nil if the share ends first.
    func findAgain(_ token: LocalToken) throws(ShareError) -> LocalToken? {
        show(.waitingForToken)
        /// Readers with another card, and how often cards came to them: they are not asked again.
        var others: [ReaderState] = []
        repeat {
            let states = (try? readers.readers()) ?? []
            for state in states where state.atr != nil && !others.contains(state) {
                do throws(ShareError) {
                    guard let candidate = try own(state.name) else { continue }
                    if candidate.serial == token.serial, candidate.way == token.way { return candidate }
                    candidate.card.giveBack()
                } catch {
                    // A card that states no serial number is another one, too. All else may pass.
                    guard case .notUsable = error else { continue }
                }
                others.append(state)
                readers.field?.letCardsGo()
                if state.name == token.reader { show(.wrongToken) }
            }
            if !states.contains(where: { $0.name == token.reader && $0.atr != nil }) { show(.waitingForToken) }
            others.removeAll { other in !states.contains(other) }
            wait(Self.tick)
        } while mayGoOn
        return nil
    }

    private func occupiedReaders() throws(ShareError) -> [String] {
        do throws(LinkError) {
            var states = try readers.readers()
            while readers.isNew, !states.contains(where: { $0.atr != nil }), mayGoOn {
                wait(Self.tick)
                states = try readers.readers()
            }
            if states.isEmpty, let obstacle = readers.obstacle { throw obstacle }
            let named = states.filter { state in settings.token.map { state.name.contains($0) } ?? false }
            return (named.isEmpty ? states : named).filter { $0.atr != nil }.map(\.name)
        } catch {
            throw .readers(error)
        }
    }

    /// The token in a reader; nil if it has left in the meantime.
    private func own(_ reader: String) throws(ShareError) -> LocalToken? {
        let card: any OwnedCard
        do throws(LinkError) {
            card = try readers.own(reader)
        } catch {
            switch error {
            case .sharingViolation, .kept: throw .inUse(reader: reader)
            case .noCard, .removed, .mute: return nil
            default: throw .readers(error)
            }
        }
        do throws(ShareError) {
            return try LocalToken(card, reader: reader)
        } catch {
            card.giveBack()
            throw error
        }
    }
}
