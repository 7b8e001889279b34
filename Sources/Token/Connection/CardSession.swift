// SPDX-License-Identifier: Apache-2.0

import APDU
import Locking
import Logging
import Secrets
import SecureChannel
import Translation

/// The connection to one card: how commands reach it, who is logged in, and what is known of it.
///
/// It sends nothing by itself. Commands are sent by a ``Transaction``, which this makes.
final class CardSession {
    /// The card's identity, as far as the card reports it without a channel.
    var identity: CardIdentity
    let settings: TokenSettings
    let tokens: KnownTokens
    let history: ChannelHistory
    /// How commands reach the card.
    var protection = Protection.plain { didSet { refusal = nil } }
    /// Why the token is not ready although this host is paired with it: the state after an opening that was refused.
    var refusal: ChannelInfo.State?
    var channel: SecureChannel? { didSet { known.environment = nil } }
    var login = Login()
    /// Whether User has to log in.
    var needsLogin = true
    /// How the last commands went.
    var progress: Progress
    var known = Knowledge()
    /// The reader's count of insertions when a card without a channel sent its serial number, if it need not send it
    /// again before that count moves; nil after an error, a reset or suspend.
    var proven: Int?
    /// The reader's PIN pad, if the settings let it be used; nil without one.
    var pinPad: PINPad?
    /// The card, replaced when the token comes back after an absence.
    private var link: any CardLink

    init(
        _ identity: CardIdentity, link: any CardLink, settings: TokenSettings, tokens: KnownTokens,
        history: ChannelHistory
    ) {
        self.identity = identity
        self.link = link
        self.settings = settings
        self.tokens = tokens
        self.history = history
        progress = Progress(lastContact: settings.clocks.uptime.now, suspended: settings.clocks.suspended)
    }

    /// The card, for a caller that holds it: nothing is sent outside of a transaction.
    func link(in transaction: borrowing Transaction) -> any CardLink { link }

    /// Lets go of the card.
    func disconnect() { link.disconnect() }

    /// Whether the card can be let go of in this time, which is then the longest wait for another process, too.
    func canDisconnect(within limit: Duration) -> Bool {
        link.limitWaits(to: limit)
        return link.canDisconnect(within: limit)
    }

    /// Lets go of a card that holds up the call for that.
    func abandon() { link.abandon() }

    /// Goes on over another connection to the card.
    func replaceLink(by link: any CardLink) {
        self.link.disconnect()
        self.link = link
        cardWasReset()
    }

    /// The logged-in role, and the PIN that is kept to take the right again.
    struct Login: ~Copyable {
        var role: ConnectedToken.Role?
        /// The PIN of ``role``, kept to present it once in a channel that had to be opened again (GSC/1, 15.3), and in
        /// each transaction that needs it with a token that has no channel.
        var pin: Secret?
        /// Whether the channel was opened again since the login, so that the card does not know of it.
        var mustPresentPIN = false
        /// Whether the PIN was typed at the reader, so that nothing can be kept.
        var isFromReader = false
    }

    /// How the last commands went.
    struct Progress {
        /// Whether the last call sent a command that must not run twice, so that it must not be repeated (GSC/1, 15.2 b).
        var hasActed = false
        /// The card's last answer.
        var lastExchange: CardExchange?
        /// When the card last answered.
        var lastContact: Duration
        /// The total suspend time of the machine at the last transaction.
        var suspended: Duration
    }

    /// Cached facts about the card, so that it is not asked again.
    struct Knowledge {
        /// The card's change counter; nil if it has none, or if it has moved since it was read.
        var changeCounter: UInt32?
        var objects: ObjectCache?
        var files: KnownFiles?
        /// The containers whose headers were read, by their directories.
        var containers: [UInt16: KnownContainer] = [:]
        /// The change counter when they were; nil if the card has none, or if they may have changed since.
        var containersAt: UInt32?
        /// Whether there are containers, which the card reports without a login; nil before it was asked.
        var hasContainers: Bool?
        /// The files as the cache on the disk has them; nil before it was read.
        var cached: KnownFiles?
        var info: KnownInfo?
        var versions: TokenVersions?
        var modelName: [UInt8]??
        var hasDrive: Bool?
        /// Whether the card has reported that it is this project's; nil before it was asked.
        var isKanalToken: Bool?
        /// The environment that this process last set. Without a channel another process may change it.
        var environment: SecurityEnvironment?
    }
}

/// The card's information, and its change counter at that time.
struct KnownInfo {
    let changeCounter: UInt32
    let info: TokenInfo
    let isDetailed: Bool
}

/// A card's identity, as far as the card reports it without a channel.
struct CardIdentity {
    /// The PC/SC name of the reader.
    let reader: String
    let model: TokenModel
    /// The answer to reset.
    let atr: [UInt8]
    /// The serial number, eight bytes, big-endian; empty if an unprotected token on a wireless reader was not asked.
    var serial: [UInt8] = []
    /// Whether the token is reached over the air (GSC/1, 4).
    var isWireless = false
    /// The capabilities that a token with a channel last reported outside of it.
    var capabilities: Capabilities?
    var hints: TokenHints?
}

/// How commands reach a card.
enum Protection {
    /// As they are.
    case plain
    /// In a secure channel that is opened with this pairing.
    case paired(PairingRecord)
    /// Not at all before the channel is activated. Without capabilities the token offers none.
    case unpaired(Capabilities?)
    /// Not at all before the channel is activated again: the token's key in the store differs from the key that this
    /// user knows.
    case keyChanged(Capabilities)
    /// Not at all: whether host and token are paired is unknown, for this reason.
    case unknown(TokenError)

    /// Whether work is possible, or the channel has to be activated before.
    var isActivated: Bool {
        switch self {
        case .plain, .paired: true
        case .unpaired, .keyChanged, .unknown: false
        }
    }

    /// Whether commands go through a secure channel.
    var isPaired: Bool { if case .paired = self { true } else { false } }

    /// Whether commands go to the card as they are.
    var isPlain: Bool { if case .plain = self { true } else { false } }
}

extension CardSession {
    var isPlain: Bool { protection.isPlain }
    var isProtected: Bool { protection.isPaired }

    /// Whether the card is a folder with a container, whose files the process reads by its own rights.
    var isFolder: Bool { identity.model == .folder }
    /// Whether the container in a folder has no password, so that User needs no login.
    var isOpenFolder: Bool { isFolder && !needsLogin }

    /// Whether the card forgets the login at the end of each transaction. This requires a PIN that is kept.
    var returnsRights: Bool {
        isPlain && !isFolder && !login.isFromReader && settings.policy.plainLogin == .reset
            && settings.policy.pinRetention == .session
    }

    /// Caches the result of a search until the change counter moves.
    func cache(_ objects: [TokenObject]) {
        guard let counter = known.changeCounter else { return known.objects = nil }
        known.objects = ObjectCache(changeCounter: counter, objects: objects)
    }

    /// Caches the known files, for the next connection too.
    func cache(_ files: KnownFiles) {
        known.files = files
        guard !identity.serial.isEmpty else { return }
        tokens.files.keep(files, serial: identity.serial, isProtected: isProtected)
    }

    /// Caches the card's information until the change counter moves.
    func cache(_ info: TokenInfo, isDetailed: Bool) {
        guard let counter = known.changeCounter else { return known.info = nil }
        let known = KnownInfo(changeCounter: counter, info: info, isDetailed: isDetailed)
        self.known.info = known
        tokens.information.keep(known, serial: identity.serial, isProtected: isProtected)
    }

    /// Forgets the login, without a command to the card.
    func forgetLogin() {
        login = Login()
        if isOpenFolder { login.role = .user }
        known.objects = nil
    }

    /// A reset ends the channel's session on the card and every login, except if the card forgets it after each call.
    func cardWasReset() {
        proven = nil
        channel?.discard()
        channel = nil
        if isPlain, !returnsRights { forgetLogin() }
    }

    /// Suspend ends channel and login: the user who wakes the machine up has to know the PIN (GSC/1, 15.3).
    func endAfterSuspend() {
        let suspended = settings.clocks.suspended
        defer { progress.suspended = suspended }
        guard suspended - progress.suspended > .milliseconds(100) else { return }
        // The kernel treats an equal device in the place of an earlier one as the same (USB persist).
        proven = nil
        guard isProtected || returnsRights || isFolder else { return }
        channel?.discard()
        channel = nil
        forgetLogin()
    }

    func warn(_ id: MessageID?, _ message: String) {
        settings.log.identified(.warning, id, "\(message)", reader: identity.reader)
    }

    func report(_ id: MessageID, _ message: String) {
        settings.log.securityEvent(id, "\(message)", reader: identity.reader)
    }
}

extension Transaction {
    /// Notes the answer to a command.
    func note(_ command: borrowing Command, _ status: StatusWord) {
        let file = command.ins == 0xA4 ? [UInt8](copying: command.data.bytes) : nil
        note((command.cla, command.ins, command.p1, command.p2), selecting: file, status)
    }

    /// Notes the answers to commands of a batch.
    func note(_ commands: some Collection<CardCommand>, _ responses: [Response]) {
        for (command, response) in zip(commands, responses) {
            note(command.header, selecting: command.header.ins == 0xA4 ? command.bytes : nil, response.status)
        }
    }

    private func note(
        _ header: (cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8), selecting file: [UInt8]?, _ status: StatusWord
    ) {
        let file = file ?? session.progress.lastExchange?.file ?? []
        session.progress.lastExchange = CardExchange(header, file: file, status: status)
    }
}
