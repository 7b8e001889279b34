import APDU
import Locking
import Logging
import SecureChannel
import Secrets

/// Transactions and commands, and what happens when one goes wrong (GSC/1, 12, 15.2 and 16).
extension Token {
    /// Runs `body` while no other process can reach the card, with the channel open and the login in force.
    ///
    /// Without a channel the card says its serial number before it is sent anything else; see ``proveIdentity()``.
    ///
    /// The first command of a transaction reads the change counter. It can be repeated without harm, so it finds a lost
    /// channel before a command that cannot, and it tells whether what is known of the objects is true.
    ///
    /// If the channel breaks, or the card is reset, before `body` has sent anything that must not run twice, `body` is
    /// run once more, from its beginning: a new session has no current file and no key set.
    ///
    /// - Parameter beginning: What `body` does first, which decides what is done before it.
    func transaction<Result>(
        _ beginning: Beginning = .neither, _ body: () throws(TokenError) -> Result
    ) throws(TokenError) -> Result {
        hasActed = false
        hasAsked = false
        objectsBefore = nil
        do throws(TokenError) {
            return try exclusively { () throws(TokenError) in try uninterrupted(beginning, body) }
        } catch {
            // After a reset the reader has to be asked for a new transaction.
            guard error == .link(.reset), !hasActed else { throw error }
            return try exclusively { () throws(TokenError) in try uninterrupted(.neither, body) }
        }
    }

    /// What the body of a transaction does first.
    enum Beginning {
        /// It asks for the change counter and reads, all of which may run twice.
        case reading
        /// It sends what must not run twice, where a session is hardly ever lost: see `Token/isChannelReliable`. There
        /// is none to lose without a channel.
        case acting
        /// It sends nothing.
        case nothing
        /// Something else, so that the change counter is asked for before.
        case neither
    }

    private func uninterrupted<Result>(
        _ beginning: Beginning, _ body: () throws(TokenError) -> Result
    ) throws(TokenError) -> Result {
        if case .unknown(let error) = protection { throw error }
        guard isActivated else { throw .activationNeeded }
        do throws(TokenError) {
            if beginning != .nothing { try proveIdentity() }
            switch beginning {
            case .reading where isChannelReady: break
            case .acting where isPlain || isChannelReliable: break
            case .nothing where isPlain: break
            case .nothing where channel?.isOpen != true && login == nil: try openChannelIfNeeded()
            default: try establish()
            }
            return try body()
        } catch {
            guard error.isDisturbance else { throw error }
            history.countLoss(at: settings.clocks.uptime.now)
            guard !hasActed else { throw error }
            try proveIdentity()
            try establish()
            return try body()
        }
    }

    /// Runs `body` while no other process can reach the card.
    func exclusively<Result>(_ body: () throws(TokenError) -> Result) throws(TokenError) -> Result {
        isProven = false
        do throws(LinkError) {
            if try beginTransaction() { cardWasReset() }
        } catch {
            throw .link(error)
        }
        defer {
            returnHeldRights()
            link.endTransaction()
        }
        endAfterSuspend()
        return try body()
    }

    /// Asks the reader for a transaction, and once more a moment later if it cannot give one now.
    private func beginTransaction() throws(LinkError) -> Bool {
        do throws(LinkError) { return try link.beginTransaction() } catch {
            guard error.mayPass else { throw error }
            settings.clocks.pause(.milliseconds(100))
            return try link.beginTransaction()
        }
    }

    /// A reset ends the channel's session on the card and every login, but one that the card forgets after each call.
    func cardWasReset() {
        channel?.discard()
        channel = nil
        if isPlain, !returnsRights { forgetLogin() }
    }

    /// Suspend ends channel and login: whoever wakes the machine up has to know the PIN (gsc1, 15.3).
    private func endAfterSuspend() {
        let suspended = settings.clocks.suspended
        defer { self.suspended = suspended }
        guard suspended - self.suspended > .milliseconds(100), isProtected || returnsRights else { return }
        channel?.discard()
        channel = nil
        forgetLogin()
    }

    /// Whether commands can be sent as things are, if one may turn out to have been sent in vain.
    private var isChannelReady: Bool {
        if isPlain { return true }
        return channel?.isOpen == true && channel?.needsRenewal == false && !mustPresentPIN
    }

    /// Whether a call may begin with a command that must not run twice (gsc1, 16): the channel was not reset and has
    /// answered, the token has sessions for several hosts, and none of ours was lost of late.
    private var isChannelReliable: Bool {
        guard let channel, isChannelReady, !channel.isProvisional else { return false }
        return channel.capabilities.sessions > 1 && !history.isContended(at: settings.clocks.uptime.now)
    }

    /// Opens the channel if there is none, and puts the login in force.
    func establish() throws(TokenError) {
        let hadChannel = channel?.isOpen == true
        do throws(TokenError) {
            try openChannelIfNeeded()
            try readChangeCounter()
            try renewChannelIfNeeded()
        } catch {
            // The card lost our session, most often to another process: that is found here, once.
            guard hadChannel, error.isDisturbance else { throw error }
            history.countLoss(at: settings.clocks.uptime.now)
            try openChannelIfNeeded()
            try readChangeCounter()
        }
        if mustPresentPIN { try presentRetainedPIN() }
    }

    func readChangeCounter() throws(TokenError) {
        takeChangeCounter(from: try send(Step.changeCounter.command))
    }

    /// Takes the card's change counter from the answer to ``Step/changeCounter``.
    func takeChangeCounter(from response: Response) {
        hasAsked = true
        var cursor = ByteCursor(response.data)
        changeCounter = response.status == .success ? try? cursor.uint32() : nil
    }

    /// Where commands go. For a token with a channel that is the channel or nowhere: what broke is not gone on with in
    /// plain.
    private func connection() throws(TokenError) -> any CardConnection {
        switch protection {
        case .plain: return link
        case .unpaired, .keyChanged: throw .activationNeeded
        case .unknown(let error): throw error
        case .paired:
            guard let channel else { throw .link(.channelBroken) }
            return channel
        }
    }

    /// Sends a command and collects the whole answer.
    func send(_ command: borrowing Command) throws(TokenError) -> Response {
        let response = try sendSecret(command)
        return Response(response.status, data: [UInt8](copying: response.data))
    }

    /// As ``send(_:)``, for an answer that is secret.
    func sendSecret(_ command: borrowing Command) throws(TokenError) -> SecretResponse {
        let connection = try connection()
        if command.ins == 0x22 { environment = nil }
        // An error on the way to a command that must not run twice can come from fetching its answer.
        if !command.isIdempotent { hasActed = true }
        let response: SecretResponse
        do throws(LinkError) {
            response = try connection.exchangeSecret(command)
            note(command, response.status)
            tokenAnswered()
        } catch {
            throw linkFailed(error)
        }
        try spend(bytes: response.data.count, commands: 1)
        return response
    }

    func tokenAnswered() {
        lastContact = settings.clocks.uptime.now
        if channel != nil { history.opens.countFruitful() }
    }

    func linkFailed(_ error: LinkError) -> TokenError {
        isProven = false
        if let channel, !channel.isOpen {
            if channel.metWrongMAC {
                settings.log.securityEvent(
                    "a reply in the secure channel has a wrong MAC: it was changed on its way", reader: reader)
            }
            if channel.isProvisional, error.outcome == .unknown {
                history.opens.countFruitless(at: settings.clocks.uptime.now)
            }
            self.channel = nil
        }
        return .link(error)
    }

    /// Sends a command and returns its data; every status word but 9000 is an error.
    @discardableResult
    func perform(_ command: borrowing Command) throws(TokenError) -> [UInt8] {
        try data(of: try send(command))
    }

    /// As `perform(_:)`, for data that are secret.
    func performSecret(_ command: borrowing Command) throws(TokenError) -> Secret {
        let response = try sendSecret(command)
        try requireSuccess(response.status)
        return response.data.copy()
    }

    /// The data of an answer whose status word is 9000; every other is an error.
    func data(of response: Response) throws(TokenError) -> [UInt8] {
        try requireSuccess(response.status)
        return response.data
    }

    private func requireSuccess(_ status: StatusWord) throws(TokenError) {
        if status == .securityStatusNotSatisfied { userLostRight() }
        guard status == .success else { throw TokenError(status) }
    }

    /// Nothing that User asks for here needs another's right: the card was told by another process to drop User's. That
    /// cannot be where the right was taken in the same transaction.
    func userLostRight() {
        if login == .user, !returnsRights { forgetLogin() }
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

extension Command {
    /// Whether the command can run twice without harm (gsc1, 15.2 b): it reads, or sets what the next command uses.
    var isIdempotent: Bool {
        switch (cla, ins) {
        case (0x00, 0xA4), (0x00, 0xB0), (0x00, 0xCA), (0x00, 0x84), (0x00, 0x22), (0x80, 0x53), (0x80, 0x71),
            (0x80, 0xCA):
            true
        // VERIFY without data asks for the tries left, 80 7E 00 00 for the firmware's checksum.
        case (0x00, 0x20): data.isEmpty
        case (0x80, 0x7E): p1 == 0
        default: false
        }
    }
}

extension TokenError {
    /// Whether command or answer was lost or spoilt on a link that still has the card at its other end.
    fileprivate var isDisturbance: Bool {
        switch linkError {
        case .channelBroken, .transmission, .malformed: true
        default: false
        }
    }
}
