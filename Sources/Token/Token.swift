public import APDU
import Locking
import Secrets
import SecureChannel

/// A token in a reader: the card's commands as Swift methods.
///
/// One thread at a time. Every method that reaches the card does so in one transaction of its own.
public final class Token {
    /// The PC/SC name of the reader.
    public let reader: String
    public let model: TokenModel
    /// The answer to reset.
    public let atr: [UInt8]
    /// The serial number, eight bytes, big-endian; empty if an unprotected token on a wireless reader was not asked.
    public internal(set) var serial: [UInt8] = []
    /// Whether the token is reached over the air (gsc1, 4).
    public private(set) var isWireless = false
    /// Who is logged in.
    public internal(set) var login: Role?

    /// The card, replaced when the token comes back after an absence.
    private(set) var link: any CardLink
    let settings: TokenSettings
    let history: ChannelHistory
    var protection = Protection.plain
    /// What a token with a channel last said of itself outside of it.
    var capabilities: Capabilities?
    var hints: TokenHints?
    var channel: SecureChannel? { didSet { environment = nil } }
    /// What the card computes with, as far as this process has set it. Without a channel another one may set it too.
    var environment: SecurityEnvironment?
    /// The PIN of ``login``, kept to present it once in a channel that had to be opened anew (gsc1, 15.3), and in each
    /// transaction that needs it with a token that has no channel.
    var retainedPIN: Secret?
    /// Whether the channel was opened anew since the login, so that the card does not know of it.
    var mustPresentPIN = false
    /// What the card has to forget at the end of the transaction under way.
    var heldRights: Set<Role> = []
    /// Whether the call under way sent a command that must not run twice, so that the call must not be repeated
    /// (gsc1, 15.2 b).
    public internal(set) var hasActed = false
    /// What the card answered last.
    public internal(set) var lastExchange: CardExchange?
    /// Whether the transaction under way has read the change counter.
    var hasAsked = false
    /// Whether the card has said its serial number in the transaction under way, and answered ever since.
    var isProven = false
    /// When the token last answered.
    public internal(set) var lastContact: Duration
    /// For how long the machine had been suspended in all at the last transaction.
    var suspended: Duration
    /// The card's change counter, read at the begin of each transaction; nil if it has none.
    var changeCounter: UInt32?
    var cache: ObjectCache?
    /// What is left of the budget of the search under way; nil outside of searches.
    var budget: SearchBudget?
    /// What was known of the objects when the transaction under way began to change them.
    var objectsBefore: TokenObjects?
    var infoCache: (counter: UInt32, info: TokenInfo, isDetailed: Bool)?
    var versions: Versions?
    var knownModelName: [UInt8]??
    var knownDrive: Bool?
    /// Whether the card has said that it is one of this project's; nil before it was asked.
    var knownAsOwn: Bool?

    /// Who can be logged in.
    public enum Role: UInt8, Sendable {
        case securityOfficer = 1
        case user = 2
    }

    /// How commands reach the card.
    enum Protection {
        /// As they are.
        case plain
        /// In a secure channel that is opened with this pairing.
        case paired(PairingRecord)
        /// Not at all before the channel is activated. Without capabilities the token offers none.
        case unpaired(Capabilities?)
        /// Not at all before the channel is activated again: the token's key in the store is another than the one that this
        /// user knows.
        case keyChanged(Capabilities)
        /// Not at all: whether host and token are paired cannot be said, for this reason.
        case unknown(TokenError)
    }

    /// Takes over the card behind `link` and finds out how it wants to be spoken to.
    public init(
        reader: String, link: any CardLink, settings: TokenSettings, history: ChannelHistory
    ) throws(TokenError) {
        guard let model = TokenModel(atr: link.atr) else { throw .unsupported }
        self.history = history
        self.reader = reader
        self.model = model
        self.link = link
        self.settings = settings
        atr = link.atr
        lastContact = settings.clocks.uptime.now
        suspended = settings.clocks.suspended
        try exclusively { () throws(TokenError) in
            isWireless = seesAir()
            try discover()
        }
    }

    deinit { disconnect() }

    /// Whether work is possible, or the channel has to be activated before.
    public var isActivated: Bool {
        switch protection {
        case .plain, .paired: true
        case .unpaired, .keyChanged, .unknown: false
        }
    }

    /// Whether commands go through a secure channel.
    public var isProtected: Bool {
        if case .paired = protection { true } else { false }
    }

    /// Whether commands go to the card as they are.
    var isPlain: Bool {
        if case .plain = protection { true } else { false }
    }

    /// Makes sure that the token can be worked with: its channel is open, if it has one. What a new channel is worth shows
    /// when it is used.
    public func prepare() throws(TokenError) {
        try transaction(.nothing) { () throws(TokenError) in }
    }

    /// Ends login and channel, as far as the card can still be reached, and lets go of it.
    ///
    /// Works when the process is about to end: computes nothing but what the open channel needs.
    public func disconnect() {
        if channel != nil || login != nil && !returnsRights, let wasReset = try? link.beginTransaction() {
            if !wasReset { endOnCard() }
            link.endTransaction()
        }
        forgetLogin()
        channel?.discard()
        channel = nil
        link.disconnect()
    }

    /// Goes on with a token that was away, over a new connection. Who is logged in stays logged in if the PIN is kept: the
    /// next transaction opens the channel and presents it, or presents it when it is needed if there is no channel.
    ///
    /// - Throws: ``TokenError/anotherToken`` if the token has no channel and is not the one that was away;
    ///   ``TokenError/activationNeeded`` if it has been paired with meanwhile, so that nothing may go in plain any more.
    public func resume(over link: any CardLink) throws(TokenError) {
        self.link.disconnect()
        self.link = link
        cardWasReset()
        guard isPlain else { return }
        try requireUnpaired()
        try transaction { () throws(TokenError) in }
    }

    private func endOnCard() {
        channel?.close()
        guard isPlain, !returnsRights, let login else { return }
        isProven = false
        guard (try? proveIdentity()) != nil else { return }
        _ = try? link.transmit(Command(0x80, 0x40, 0x00, login.rawValue))
    }
}
