// SPDX-License-Identifier: Apache-2.0

package import APDU
import Configuration
import ContainerFolders
import Locking
public import Logging
import PCSC
import Secrets
import Storage
package import Token
package import Tokens
package import Translation

/// The tokens of this machine.
///
/// A manager has one ``Token`` for each token that it meets, and follows them when they come and go. A token goes on
/// working when its manager is gone.
public final class TokenManager: Sendable {
    let service: TokenService
    let worker = Worker()
    private let tokens = Lock<[Token]>([])
    private let watch = Watch()

    /// A manager for the readers of pcscd, with this program's `kanal.conf`.
    ///
    /// - Parameter log: Receives warnings and the states of tokens, never a secret; the metadata `id` has the identifier of
    ///   a message that programs may look for. Nil for none.
    /// - Throws: ``KanalError/notStarted(_:)`` if the process has no file descriptors left to read the configuration by.
    public convenience init(log: Logger? = nil) throws(KanalError) {
        let (settings, interaction, folders) = try TokenManager.configuration(log)
        self.init(
            readers: TokenManager.readers(settings, folders), settings: settings, interaction: interaction)
    }

    /// A manager for key containers of CryptoPro CSP in folders, and for nothing else, with this program's `kanal.conf`.
    /// Each container is a ``Token``, whose PIN is the container's password; it needs neither if the container has no
    /// password. Folders that `kanal.conf` names are in every manager for the readers of pcscd.
    ///
    /// - Parameter folders: Containers, or folders with containers. They and their files must be this user's, and closed
    ///   to all others.
    /// - Throws: As ``init(log:)``; ``KanalError/invalidArgument(_:)`` for a folder that is not used, with the reason, or
    ///   has no container.
    public convenience init(containers folders: [String], log: Logger? = nil) throws(KanalError) {
        let (settings, interaction, _) = try TokenManager.configuration(log)
        for folder in folders {
            var refused: (path: String, error: StorageError)?
            let found = ContainerFolder.find(folder) { path, error in refused = refused ?? (path, error) }
            guard !found.contains(where: { ContainerFolder.refusal(of: $0) == nil }) else { continue }
            if let path = found.first, let fault = ContainerFolder.refusal(of: path) {
                throw .invalidArgument("the key container is not used: \(path): \(Reason(fault).phrase)")
            }
            guard let refused, refused.error != .notFound else {
                throw .invalidArgument("there is no key container in \(folder): it would have a file header.key")
            }
            throw .invalidArgument(
                """
                the folder of a key container is not used: \(refused.path): \(refused.error.explanation); it and its files \
                must be yours, and closed to all others ("chmod -R go= FOLDER")
                """)
        }
        self.init(
            readers: FolderReaders(folders, besides: nil, refused: settings.toldOfFolder), settings: settings,
            interaction: interaction)
    }

    /// The readers of pcscd, and the folders that `kanal.conf` names.
    private static func readers(_ settings: TokenSettings, _ folders: [String]) -> any ReaderService {
        let service = PCSCReaders(patience: settings.policy.patience)
        guard !folders.isEmpty else { return service }
        return FolderReaders(folders, besides: service, refused: settings.toldOfFolder)
    }

    /// A manager for an application's own transport, with this program's `kanal.conf`.
    ///
    /// - Throws: As ``init(log:)``.
    public convenience init(transport: any Transport, log: Logger? = nil) throws(KanalError) {
        let (settings, interaction, _) = try TokenManager.configuration(log)
        self.init(transport: transport, settings: settings, interaction: interaction)
    }

    /// A manager for some readers of pcscd and an application's own transports, with this program's `kanal.conf`.
    ///
    /// A token is the same one wherever it is. A field session is opened only for a token that is in none of pcscd's
    /// readers. As long as one of these ways works, the others may fail.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of pcscd's readers. None of them: pcscd is not used.
    ///   - transports: Further ways to tokens.
    ///   - log: As for ``init(log:)``.
    /// - Throws: As ``init(log:)``; ``KanalError/invalidArgument(_:)`` if no token can be reached.
    public convenience init(
        readers kinds: ReaderKinds, transports: [any Transport] = [], log: Logger? = nil
    ) throws(KanalError) {
        guard !kinds.isEmpty || !transports.isEmpty else {
            throw .invalidArgument("choose at least one kind of readers, or a transport")
        }
        let (settings, interaction, folders) = try TokenManager.configuration(log)
        self.init(
            kinds, of: kinds.isEmpty ? nil : TokenManager.readers(settings, folders), transports: transports,
            settings: settings, interaction: interaction)
    }

    package convenience init(
        _ kinds: ReaderKinds = [], of service: (any ReaderService)? = nil, transports: [any Transport],
        settings: TokenSettings, interaction: UserInteraction = UserInteraction()
    ) {
        let service = kinds.isEmpty ? nil : service
        let field = Field(transports, isOnlyWay: service == nil)
        var sources: [any ReaderService] = transports.map { TransportReaders($0, field) }
        if let service {
            let chosen: any ReaderService = kinds == .all ? service : ChosenReaders(service, kinds, settings.policy)
            sources.insert(chosen, at: 0)
        }
        let readers: any ReaderService = sources.count == 1 ? sources[0] : ReaderSources(sources)
        self.init(readers: readers, settings: settings, interaction: interaction, field: field)
    }

    package convenience init(
        transport: any Transport, settings: TokenSettings, interaction: UserInteraction = UserInteraction()
    ) {
        self.init(transports: [transport], settings: settings, interaction: interaction)
    }

    /// Reads this program's `kanal.conf`.
    private static func configuration(
        _ log: Logger?
    ) throws(KanalError) -> (TokenSettings, UserInteraction, folders: [String]) {
        let log = log ?? Logger(label: "kanal") { _ in SwiftLogNoOpLogHandler() }
        let directories = UserDirectories(log: log)
        let configuration: Configuration
        do throws(StorageError) { configuration = try Configuration(of: directories) } catch {
            // Nothing else is thrown.
            throw .notStarted(.noDescriptors)
        }
        configuration.report(to: log)
        let interaction = UserInteraction(
            configuration.authenticator, asksForActivation: configuration.asksForActivation,
            consent: configuration.consent)
        let folders = configuration.containerFolders(home: directories.found().home)
        return (TokenSettings(configuration, of: directories, log: log), interaction, folders)
    }

    package convenience init(
        readers: any ReaderService, settings: TokenSettings, interaction: UserInteraction = UserInteraction()
    ) {
        self.init(readers: readers, settings: settings, interaction: interaction, field: Field([]))
    }

    private init(
        readers: any ReaderService, settings: TokenSettings, interaction: UserInteraction, field: Field
    ) {
        service = TokenService(readers: readers, settings: settings, field: field, interaction: interaction)
    }

    deinit { watch.end() }

    /// The tokens that are in readers now, in the order of the readers. A pcscd that has only just started, as it does
    /// on demand, may not have found them yet: while it reports none, it is waited for, until it has run for five
    /// seconds.
    ///
    /// - Throws: ``KanalError/notStarted(_:)`` if the readers cannot be listed.
    public func allTokens() async throws(KanalError) -> [Token] {
        try await looking { manager throws(KanalError) in try manager.refresh(waits: true) }
    }

    /// The same for a program that is about to work with one of the tokens: those without a channel stay connected, so that
    /// they need not say again who they are.
    package func allTokensForWork() async throws(KanalError) -> [Token] {
        try await looking { manager throws(KanalError) in try manager.refresh(waits: true, forWork: true) }
    }

    /// Looks at readers. A look changes nothing, and a hanging look is not waited for.
    func looking<Result: Sendable>(
        _ body: @escaping @Sendable (TokenManager) throws(KanalError) -> Result
    ) async throws(KanalError) -> Result {
        try await working(on: worker, cancellation: .abandons) { [self] () throws(KanalError) in try body(self) }
    }

    /// Runs `body` within one field session of the transport: tokens that are found in it are worked with in it. On
    /// other transports it only runs `body`.
    ///
    /// - Parameter prompt: The text for the user, for instance "Hold the card to the reader".
    public func withField<Result: Sendable>(
        prompt: String, _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let field = service.field
        try await working(on: worker) { () throws(KanalError) in try field.enter(prompt) }
        let outcome: FieldOutcome
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body())
            outcome = .success
        } catch {
            result = .failure(error)
            outcome = .failure((error as? KanalError)?.description ?? "it was not done")
        }
        await workingAlways(on: worker) { field.leave(outcome) }
        return try result.get()
    }

    /// Reports tokens that come and go, beginning with the present ones. Every caller gets a sequence of its own. It
    /// ends with ``TokenEvent/stopped(_:)``, or without an event when the manager is released.
    ///
    /// Without events, readers and tokens are not polled.
    public func events() -> AsyncStream<TokenEvent> {
        watch.stream(service.readers) { [weak self] in
            guard let self else { return nil }
            return Swift.Result { () throws(KanalError) in try refresh() }
        }
    }

    /// Looks at all readers. The thread may have to wait for cards.
    ///
    /// - Parameters:
    ///   - waits: Whether a service that has only just started is given a moment to find cards.
    ///   - forWork: Whether tokens without a channel stay connected.
    func refresh(waits: Bool = false, forWork: Bool = false) throws(KanalError) -> [Token] {
        var slots = try service.occupiedSlots()
        while waits, slots.isEmpty, service.readers.isNew {
            service.settings.clocks.pause(.milliseconds(100))
            slots = try service.occupiedSlots()
        }
        return slots.compactMap { slot in present(in: slot, forWork: forWork) }
    }

    /// The token in a slot; nil if it leaves in the meantime, or does not respond. If it is still in its reader after a
    /// failure that was not waited for, it is asked once more.
    private func present(in slot: Int, forWork: Bool) -> Token? {
        let clock = service.settings.clocks.awake
        let begin = clock.now
        for isLast in [false, true] {
            do throws(KanalError) { return try token(in: slot, forWork: forWork) } catch {
                guard let state = try? service.slots.state(of: slot), state.hasToken else { return nil }
                guard isLast || clock.now - begin > .seconds(1) else { continue }
                service.settings.log.warning("the token in \(state.reader) is left out: \(error)")
                return nil
            }
        }
        return nil
    }

    /// The token in a slot, as the application knows it.
    private func token(in slot: Int, forWork: Bool) throws(KanalError) -> Token {
        // A busy token would have to be waited for.
        if let known = tokens.withLock({ tokens in tokens.first { $0.isBusy(in: slot) } }) { return known }
        let (information, session) =
            forWork ? try service.informationAndSession(on: slot) : (try service.information(on: slot), nil)
        let token = tokens.withLock { tokens in
            if let known = tokens.first(where: { $0.information.isSameToken(as: information) }) {
                known.update(information, slot: slot)
                return known
            }
            let token = Token(information, slot: slot, of: service)
            tokens.append(token)
            return token
        }
        if let session { token.keep(session) }
        return token
    }
}

extension TokenManager {
    /// Finds a token.
    ///
    /// Each attempt looks at all tokens, in the order of their readers.
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts; at least one is made.
    ///   - delay: The wait between two attempts.
    ///   - predicate: Whether a token is the wanted one. It can end the search by setting `stop`; then no further
    ///     token and no further attempt follows. If it returns true, too, the token is found. It runs where the caller
    ///     does, for instance on the main actor.
    /// - Throws: ``KanalError/notFound`` after the last attempt; ``KanalError/notStarted(_:)`` if there is nothing to
    ///   search; ``KanalError/cancelled``.
    public nonisolated(nonsending) func find(
        attempts: Int = 1, delay: Duration = .seconds(1),
        where predicate: (_ token: Token, _ stop: inout Bool) -> Bool = { _, _ in true }
    ) async throws(KanalError) -> Token {
        for attempt in 1...max(attempts, 1) {
            if attempt > 1 {
                do { try await Task.sleep(for: delay) } catch { throw .cancelled }
            }
            var stop = false
            for token in try await allTokens() {
                if predicate(token, &stop) { return token }
                guard !stop else { throw .notFound }
            }
        }
        throw .notFound
    }

    /// Finds all tokens that are wanted, in the order of their readers.
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts, until one finds a token; at least one is made.
    ///   - delay: The wait between two attempts.
    ///   - predicate: Whether a token is one of those that are wanted. It runs where the caller does.
    /// - Returns: The tokens; none after the last attempt.
    /// - Throws: ``KanalError/notStarted(_:)`` if there is nothing to search; ``KanalError/cancelled``.
    public nonisolated(nonsending) func findAll(
        attempts: Int = 1, delay: Duration = .seconds(1), where predicate: (_ token: Token) -> Bool = { _ in true }
    ) async throws(KanalError) -> [Token] {
        for attempt in 1...max(attempts, 1) {
            if attempt > 1 {
                do { try await Task.sleep(for: delay) } catch { throw .cancelled }
            }
            let found = try await allTokens().filter(predicate)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Finds the token with a name: its serial number in hexadecimal or decimal digits, its label, its reader's name, or a
    /// `pkcs11:` URI (RFC 7512).
    ///
    /// - Throws: ``KanalError/ambiguous(_:)`` if several tokens have this name; ``KanalError/invalidArgument(_:)`` for a
    ///   malformed URI; what ``find(attempts:delay:where:)`` throws.
    public func find(named name: String) async throws(KanalError) -> Token {
        let uri = TokenURI.isURI(name) ? try TokenURI(name) : nil
        let found = try await allTokens().filter { token in
            uri?.isOf(token.information) ?? token.information.isNamed(name)
        }
        guard let token = found.first else { throw .notFound }
        guard found.count == 1 else { throw .ambiguous(found.map { Explanation($0.information.caption) }) }
        return token
    }
}

extension TokenInformation: CustomStringConvertible {
    /// The serial number in hexadecimal digits, as it is printed on the token: its last four bytes. All of them for a key
    /// container in a folder, whose number is its key's fingerprint.
    public var serialText: String { serialNumber.suffix(isFolder ? 8 : 4).hexadecimal }

    /// Serial number, label and reader, for people.
    public var description: String { caption.description }

    package var caption: Phrase {
        let serial = serialText.isEmpty ? Phrase("unknown") : Phrase(verbatim: serialText)
        return "\(serial) \"\(label ?? "")\" in \(reader)"
    }

    /// Whether the token can be meant by a name.
    func isNamed(_ name: String) -> Bool {
        let digits = name.lowercased()
        let number = serialNumber.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let hexadecimal = digits.hasPrefix("0x") ? String(digits.dropFirst(2)) : digits
        let isSerial =
            !serialNumber.isEmpty
            && (hexadecimal == serialText || UInt64(hexadecimal, radix: 16) == number && hexadecimal.count > 8
                || UInt64(name) == number || UInt64(name) == number & 0xFFFF_FFFF)
        return isSerial || label == name || reader == name
    }
}
