public import APDU
public import Logging
public import Secrets
public import SecureChannel

/// How tokens are to be treated, whichever they are.
public struct TokenSettings: Sendable {
    /// Where pairings with tokens are kept.
    public var pairings: PairingStore.Location
    /// The name that tokens remember this host by; at most 32 bytes of it are used.
    public var hostLabel: String
    /// Source of everything random on the host.
    public var random: any RandomSource
    /// Receives warnings about what happens to channels. Never a secret.
    public var log: Logger

    /// The least profile to pair and to open a channel in (gsc1, 4).
    public var minimumProfile = Profile.classic
    /// Whether nothing is done without a channel, on wired readers either (gsc1, 4).
    public var requireSM = false
    /// How long a PIN is kept to be presented again (gsc1, 15.3).
    public var pinRetention = PINRetention.session
    /// How many seconds the sessions of a token that left a wireless reader are kept (gsc1, 15.3).
    public var reconnectWindow = 20
    /// The same for wired readers; 0 ends them at once.
    public var reconnectWindowWired = 0
    /// Readers that count as wireless whatever their names say (gsc1, 4).
    public var wirelessReaders: [ReaderPattern] = []
    /// What becomes of a login on a token without channel when a call ends.
    public var plainLogin = PlainLogin.reset

    public init(pairings: PairingStore.Location, hostLabel: String, random: any RandomSource, log: Logger) {
        self.pairings = pairings
        self.hostLabel = hostLabel
        self.random = random
        self.log = log
    }
}

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
    /// Who is logged in.
    public internal(set) var login: Role?

    let link: any CardLink
    let settings: TokenSettings
    /// This process's name in channels.
    let instance: Instance
    var protection = Protection.plain
    /// What a token with a channel last said outside of it.
    var hints: TokenHints?
    var channel: SecureChannel?
    /// The PIN of ``login``, kept to present it once in a channel that had to be opened anew (gsc1, 15.3).
    var retainedPIN: Secret?
    /// Whether the channel was opened anew since the login, so that the card does not know of it.
    var mustPresentPIN = false
    /// The card's change counter, read at the begin of each transaction; nil if it has none.
    var changeCounter: UInt32?
    var cache: ObjectCache?
    var infoCache: (counter: UInt32, info: TokenInfo)?
    var versions: Versions?

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
        /// Not at all: whether host and token are paired cannot be said, for this reason.
        case unknown(TokenError)
    }

    /// Takes over the card behind `link` and finds out how it wants to be spoken to.
    public init(
        reader: String, link: any CardLink, settings: TokenSettings, instance: Instance
    ) throws(TokenError) {
        guard let model = TokenModel(atr: link.atr) else { throw .unsupported }
        self.instance = instance
        self.reader = reader
        self.model = model
        self.link = link
        self.settings = settings
        atr = link.atr
        try exclusively { () throws(TokenError) in try discover() }
    }

    deinit { disconnect() }

    /// Whether work is possible, or the channel has to be activated before.
    public var isActivated: Bool {
        switch protection {
        case .plain, .paired: true
        case .unpaired, .unknown: false
        }
    }

    /// Makes sure that the token can be worked with: its channel is open, if it has one.
    public func prepare() throws(TokenError) {
        try transaction { () throws(TokenError) in }
    }

    /// Ends login and channel, as far as the card can still be reached, and lets go of it.
    ///
    /// Works when the process is about to end: computes nothing but what the open channel needs.
    public func disconnect() {
        if channel != nil || login != nil, let wasReset = try? link.beginTransaction() {
            if !wasReset { endOnCard() }
            link.endTransaction()
        }
        forgetLogin()
        channel?.discard()
        channel = nil
        link.disconnect()
    }

    private func endOnCard() {
        channel?.close()
        if case .plain = protection, let login {
            _ = try? link.transmit(Command(0x80, 0x40, 0x00, login.rawValue))
        }
    }
}

// MARK: - Transactions and commands

extension Token {
    /// Runs `body` while no other process can reach the card, with the channel open and the login in force.
    ///
    /// The first command of each transaction reads the change counter. It can be repeated without harm, so it finds a
    /// lost channel before a command that cannot (gsc1, 16), and it tells whether what is known of the objects is true.
    func transaction<Result>(_ body: () throws(TokenError) -> Result) throws(TokenError) -> Result {
        try exclusively { () throws(TokenError) in
            if case .unknown(let error) = protection { throw error }
            guard isActivated else { throw .activationNeeded }
            try establish()
            return try body()
        }
    }

    /// Runs `body` while no other process can reach the card.
    func exclusively<Result>(_ body: () throws(TokenError) -> Result) throws(TokenError) -> Result {
        do throws(LinkError) {
            if try link.beginTransaction() { cardWasReset() }
        } catch {
            throw .link(error)
        }
        defer { link.endTransaction() }
        return try body()
    }

    /// A reset ends the channel's session on the card and every login.
    private func cardWasReset() {
        channel?.discard()
        channel = nil
        if case .plain = protection { login = nil }
    }

    /// Opens the channel if there is none, and puts the login in force.
    func establish() throws(TokenError) {
        let hadChannel = channel?.isOpen == true
        do throws(TokenError) {
            try openChannelIfNeeded()
            try readChangeCounter()
        } catch {
            // The card lost our session, most often to another process: that is found here, once.
            guard hadChannel, error == .link(.channelBroken) else { throw error }
            try openChannelIfNeeded()
            try readChangeCounter()
        }
        if mustPresentPIN { try presentRetainedPIN() }
    }

    private func readChangeCounter() throws(TokenError) {
        let response = try send(Command(0x00, 0xCA, 0x01, 0x32, ne: 4))
        var cursor = ByteCursor(response.data)
        changeCounter = response.status == .success ? try? cursor.uint32() : nil
    }

    /// Where commands go. For a token with a channel that is the channel or nowhere: what broke is not gone on with in
    /// plain.
    private func connection() throws(TokenError) -> any CardConnection {
        switch protection {
        case .plain: return link
        case .unpaired: throw .activationNeeded
        case .unknown(let error): throw error
        case .paired:
            guard let channel else { throw .link(.channelBroken) }
            return channel
        }
    }

    /// Sends a command and collects the whole answer.
    func send(_ command: borrowing Command) throws(TokenError) -> Response {
        let connection = try connection()
        do throws(LinkError) {
            var response = try connection.transmit(command)
            var data: [UInt8] = response.data
            while let available = response.status.bytesAvailable, data.count <= 65_536 {
                response = try connection.transmit(Command(0x00, 0xC0, 0x00, 0x00, ne: available))
                data += response.data
            }
            return Response(response.status, data: data)
        } catch {
            if error == .channelBroken { channel = nil }
            throw .link(error)
        }
    }

    /// Sends a command and returns its data; every status word but 9000 is an error.
    @discardableResult
    func perform(_ command: borrowing Command) throws(TokenError) -> [UInt8] {
        let response = try send(command)
        // Nothing that User asks for here needs another's right: the card was told by another process to drop User's.
        if response.status == .securityStatusNotSatisfied, login == .user { forgetLogin() }
        guard response.status == .success else { throw TokenError(response.status) }
        return response.data
    }

    /// What `body` returns, or nil if it meets something that is not there.
    func optional<Result>(_ body: () throws(TokenError) -> Result) throws(TokenError) -> Result? {
        do throws(TokenError) {
            return try body()
        } catch {
            guard error == .notFound else { throw error }
            return nil
        }
    }
}
