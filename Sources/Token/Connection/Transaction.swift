// SPDX-License-Identifier: Apache-2.0

import APDU
import Locking
import Secrets
import SecureChannel
import Translation

/// The hold of one call on the card. No other process can reach the card while it lasts, and nothing else can send a
/// command.
///
/// `ConnectedToken.transaction` makes it and ends it. Code in a transaction can neither keep it, since it is only lent, nor
/// begin another, since it cannot reach the token. Its notes on the call end with it.
package struct Transaction: ~Copyable {
    let session: CardSession
    let state = State()

    fileprivate init(_ session: CardSession) { self.session = session }

    /// A transaction's state.
    final class State {
        /// Whether it has read the change counter.
        var hasAsked = false
        /// Whether the card has sent its serial number in it, and answered ever since.
        var isProven = false
        /// The rights that the card has to drop at its end.
        var heldRights: Set<ConnectedToken.Role> = []
        /// The rest of the budget of the search under way; nil outside of searches.
        var budget: SearchBudget?
        /// The objects that were known when it began to change them.
        var objectsBefore: [TokenObject]?
        /// The known files, while a search completes them or a change goes on.
        var files: KnownFiles?
        /// Whether a change has become visible to searches.
        var hasChangedIndex = false
    }

    var settings: TokenSettings { session.settings }
    var channel: SecureChannel? { session.channel }
    var login: ConnectedToken.Role? { session.login.role }
    var isPlain: Bool { session.isPlain }
    var link: any CardLink { session.link(in: self) }

    /// The first command of a transaction, which decides what is done before it.
    enum FirstCommand {
        /// The change counter is asked for before.
        case any
        /// It asks for the change counter and reads, all of which may run twice.
        case read
        /// It must not run twice, where a session is hardly ever lost: see `Transaction/isChannelReliable`. Without a
        /// channel none can be lost.
        case act
        /// It sends nothing.
        case none
    }
}

extension ConnectedToken {
    /// Runs `body` while no other process can reach the card, with the channel open and the login in force.
    ///
    /// Without a channel the card sends its serial number before any other command, unless its reader shows that it
    /// is the same card as before; see ``Transaction/proveIdentity()``.
    ///
    /// The first command of a transaction reads the change counter. It can be repeated without harm, so a lost channel is
    /// found before a command that must not be repeated, and a stale list of objects is noticed.
    ///
    /// `body` may run once more, from its beginning; see ``Recovery``. A new session has no current file and no key set.
    func transaction<Result: ~Copyable>(
        first: Transaction.FirstCommand = .any,
        _ body: @Sendable (borrowing Transaction) throws(TokenError) -> Result
    ) throws(TokenError) -> Result {
        session.progress.hasActed = false
        let transaction = Transaction(session)
        do throws(TokenError) {
            try transaction.begin()
            defer { transaction.end() }
            return try transaction.run(body, first: first)
        } catch {
            // After a reset the reader has to be asked for a new transaction.
            guard error.recovery(afterActing: session.progress.hasActed) == .newTransaction else { throw error }
            try transaction.begin()
            defer { transaction.end() }
            return try transaction.run(body, first: .any)
        }
    }

    /// Runs `body` while no other process can reach the card, whatever the card is protected by. The channel is left as it
    /// is.
    func exclusively<Result: ~Copyable>(
        _ body: @Sendable (borrowing Transaction) throws(TokenError) -> Result
    ) throws(TokenError) -> Result {
        let transaction = Transaction(session)
        try transaction.begin()
        defer { transaction.end() }
        return try body(transaction)
    }

    /// Ends login and channel, as far as the card can still be reached, and lets go of it.
    ///
    /// Works when the process is about to end: computes only for the open channel.
    package func disconnect() {
        if session.channel != nil || session.login.role != nil && !session.returnsRights && !session.isFolder {
            Transaction(session).endOnCard()
        }
        letGo()
        session.disconnect()
    }

    /// The same, within the time that a card needs if not held up. A card that hangs, or that another process keeps,
    /// is released without a command.
    package func disconnect(within limit: Duration) {
        if session.canDisconnect(within: limit) { return disconnect() }
        letGo()
        session.abandon()
    }

    private func letGo() {
        session.forgetLogin()
        session.channel?.discard()
        session.channel = nil
    }
}

extension Transaction {
    /// Keeps other processes from the card until ``end()``.
    fileprivate func begin() throws(TokenError) {
        state.isProven = false
        do throws(LinkError) {
            if try beginOnLink() { session.cardWasReset() }
        } catch {
            session.proven = nil
            throw .link(error)
        }
        session.endAfterSuspend()
    }

    fileprivate func end() {
        returnHeldRights()
        link.endTransaction()
    }

    /// Asks the reader for a transaction, and once more a moment later if it cannot give one now.
    ///
    /// - Returns: Whether the card was reset since the last one.
    private func beginOnLink() throws(LinkError) -> Bool {
        do throws(LinkError) { return try link.beginTransaction() } catch {
            guard error.mayPass else { throw error }
            settings.clocks.pause(.milliseconds(100))
            return try link.beginTransaction()
        }
    }

    fileprivate func endOnCard() {
        guard let wasReset = try? link.beginTransaction() else { return }
        defer { link.endTransaction() }
        guard !wasReset else { return }
        channel?.close()
        session.proven = nil
        guard isPlain, !session.returnsRights, let login, (try? proveIdentity()) != nil else { return }
        _ = try? link.transmit(CardCommand.resetRight(of: login.rawValue).apdu)
    }

    /// The connection for commands. For a token with a channel that is the channel or nothing: a failure never falls
    /// back to plain.
    private func connection(for command: borrowing Command) throws(TokenError) -> any CardConnection {
        if command.setsKey { session.known.environment = nil }
        guard !session.isFolder || command.isIdempotent else { throw .readOnly }
        switch session.protection {
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
        let (connection, hadActed) = (try connection(for: command), session.progress.hasActed)
        if !command.isIdempotent { session.progress.hasActed = true }
        let response: Response
        do throws(LinkError) { response = try connection.exchange(command) } catch { throw failed(error, hadActed) }
        try answered(command, response.status, count: response.data.count)
        return response
    }

    /// As `send(_:)`, for an answer that is secret.
    func sendSecret(_ command: borrowing Command) throws(TokenError) -> SecretResponse {
        let (connection, hadActed) = (try connection(for: command), session.progress.hasActed)
        if !command.isIdempotent { session.progress.hasActed = true }
        let response: SecretResponse
        do throws(LinkError) { response = try connection.exchangeSecret(command) } catch {
            throw failed(error, hadActed)
        }
        try answered(command, response.status, count: response.data.count)
        return response
    }

    private func answered(_ command: borrowing Command, _ status: StatusWord, count: Int) throws(TokenError) {
        note(command, status)
        cardAnswered()
        try spend(bytes: count, commands: 1)
    }

    /// - Parameter hadActed: Whether the call had acted before the command.
    func failed(_ error: LinkError, _ hadActed: Bool) -> TokenError {
        if error.isUnsent { session.progress.hasActed = hadActed }
        return linkFailed(error)
    }

    func cardAnswered() {
        session.progress.lastContact = settings.clocks.uptime.now
        if channel != nil { session.history.opens.countSuccess() }
    }

    func linkFailed(_ error: LinkError) -> TokenError {
        state.isProven = false
        session.proven = nil
        if let channel, !channel.isOpen {
            if channel.metWrongMAC {
                session.report(
                    .attackWrongMAC, "a reply in the secure channel has a wrong MAC: it was changed on its way")
            }
            if channel.isProvisional, error.outcome == .unknown {
                session.history.opens.countFailure(at: settings.clocks.uptime.now)
            }
            session.channel = nil
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

    /// SECURITY STATUS NOT SATISFIED means that another process reset User's login, unless this transaction established
    /// it.
    func userLostRight() {
        if login == .user, !session.returnsRights { session.forgetLogin() }
    }

    func readChangeCounter() throws(TokenError) {
        takeChangeCounter(from: try send(CardCommand.changeCounter))
    }

    /// Reads the card's change counter from the answer to ``CardCommand/changeCounter``.
    func takeChangeCounter(from response: Response) {
        state.hasAsked = true
        var cursor = ByteCursor(response.data)
        session.known.changeCounter = response.status == .success ? try? cursor.uint32() : nil
    }
}

/// Returns the result of `body`, or nil if it throws ``TokenError/notFound``.
func optional<Result>(_ body: () throws(TokenError) -> Result) throws(TokenError) -> Result? {
    do throws(TokenError) { return try body() } catch {
        guard error == .notFound else { throw error }
        return nil
    }
}

/// Whether the card that answers is still the card that was found (GSC/1, 15.3).
///
/// A channel proves that by itself. Without one the serial number is read in each transaction before anything else: the
/// smart card service polls a reader several times a second, and no event, reset or error shows a card that was
/// replaced between two polls. An earlier transaction, and a transaction that lost an answer since, prove nothing of
/// the card that is there now.
///
/// A token on USB that is its own reader is gone with its device: another in its place cannot answer over the same
/// connection. There one reading is enough for as long as the connection has seen no error and no reset, nor the reader's
/// count of insertions another value: ``CardLink/insertions``.
extension Transaction {
    /// Reads the serial number of a card without a channel, unless it is known to be the same card as when that was done
    /// last. A different or missing one ends the login; the card gets no further command.
    func proveIdentity() throws(TokenError) {
        // The files of a folder are proven by themselves.
        guard isPlain, !session.isFolder, !state.isProven else { return }
        let insertions = insertions
        if let insertions, session.proven == insertions { return state.isProven = true }
        session.proven = nil
        let answer = try send(CardCommand.serial)
        guard answer.status == .success, answer.data == session.identity.serial else { throw foundAnother() }
        state.isProven = true
        session.proven = insertions
    }

    /// The reader's count of insertions; nil if a card over the air, or one in this reader, can be replaced unnoticed.
    var insertions: Int? { session.identity.isWireless ? nil : link.insertions }

    /// Makes sure that a card whose channel could not be opened is at least the same as before. Its answer is not
    /// authenticated: it can end sessions that are worth nothing with this card, and nothing else.
    func requireSameOffer() throws(TokenError) {
        guard let discovery = try? discovery() else { return }
        switch discovery {
        case .present(let capabilities, _) where capabilities.serial == session.identity.serial: return
        case .present, .absent: throw foundAnother()
        }
    }

    /// Ends the login because the reader holds a different card, on which others keep their rights.
    func foundAnother() -> TokenError {
        let wasLoggedIn = login != nil
        session.proven = nil
        session.forgetLogin()
        state.heldRights = []
        if wasLoggedIn {
            session.report(
                .attackTokenReplaced, "another token is in the place of the one that is logged in: it gets no PIN")
        }
        return .anotherToken
    }
}
