// SPDX-License-Identifier: Apache-2.0

import APDU
import Locking
import SecureChannel
import Token
import Tokens

/// The state that a manager and its tokens share: readers, sessions, and the application's settings. All sessions end
/// with it.
final class TokenService: Sendable {
    let readers: any ReaderService
    let settings: TokenSettings
    let slots: Slots
    let field: Field
    private let observers: Observers

    /// Observers of tokens' presence, by the reader of the token's sessions.
    private final class Observers: Sendable {
        let closures = Lock<[String: @Sendable (TokenPresence) -> Void]>([:])
    }

    init(
        readers: any ReaderService, settings: TokenSettings, field: Field = Field([]),
        interaction: UserInteraction = UserInteraction()
    ) {
        let observers = Observers()
        self.field = field
        self.readers = readers
        self.settings = settings
        self.observers = observers
        slots = Slots(readers: readers, settings: settings, interaction: interaction) { reader, presence in
            observers.closures.withLock { $0[reader] }?(presence)
        }
    }

    deinit { slots.end(until: Clocks.system.awake.now + .seconds(5)) }

    /// Sets `observer` for the presence of the token in a reader, in place of the former observer.
    func observe(_ reader: String, _ observer: @escaping @Sendable (TokenPresence) -> Void) {
        observers.closures.withLock { $0[reader] = observer }
    }

    /// Runs `body` in a field session, if the token that is known in a reader may need one.
    func withField<Result>(_ prompt: String?, for reader: String, _ body: () throws -> Result) throws -> Result {
        guard needsField(for: reader) else { return try body() }
        return try field.within(prompt ?? "", body)
    }

    /// Whether a field may be needed for a token: it is not in a reader without one.
    func needsField(for reader: String) -> Bool {
        (readers as? ReaderSources)?.hasCardWithoutField(in: reader) != true
    }

    /// The slots with tokens.
    ///
    /// - Throws: ``KanalError/notStarted(_:)`` if the list is empty because the readers' service is unavailable.
    func occupiedSlots() throws(KanalError) -> [Int] {
        let numbers = try kanalError { () throws(TokensError) in try slots.numbers(tokenPresent: true) }
        if numbers.isEmpty { try requireReaders() }
        return numbers
    }

    /// - Throws: ``KanalError/notStarted(_:)`` if no readers are listed because their service is unavailable.
    func requireReaders() throws(KanalError) {
        if let error = readers.obstacle, let obstacle = KanalError.Obstacle(error) {
            throw .notStarted(field.isOnlyWay ? .transportOff : obstacle)
        }
    }

    /// Reads the information of the token in a slot, and keeps the connection in a session, where that costs no other
    /// process anything.
    func informationAndSession(on slot: Int) throws(KanalError) -> (TokenInformation, TokenSession?) {
        try kanalError { () throws(TokensError) in
            let reader = try slots.state(of: slot).reader
            // Work may need a field of its own.
            guard !field.hasTransports else {
                return (TokenInformation(try slots.token(in: slot, evicting: false), reader: reader), nil)
            }
            let (report, session) = try slots.tokenAndSession(in: slot)
            return (TokenInformation(report, reader: reader), session)
        }
    }

    /// Reads the information of the token in a slot. A channel that another process has open stays open.
    func information(on slot: Int) throws(KanalError) -> TokenInformation {
        try kanalError { () throws(TokensError) in
            try TokenInformation(slots.token(in: slot, evicting: false), reader: slots.state(of: slot).reader)
        }
    }
}

/// A host that may open a channel to a token.
public struct KnownHost: Sendable, Equatable {
    /// The host's name for itself.
    public let label: String
    /// Whether it has opened a channel since it was paired.
    public let isActive: Bool
    /// Whether it is this host.
    public let isSelf: Bool
    /// The protection that its channels have.
    public let profile: ChannelDetails.Profile
    /// Its place in the token's list.
    public var slot: Int { Int(id.index) }
    let id: PairedHost.ID
}

extension TokenManager {
    /// The tokens that this user is paired with on this machine, the youngest pairing first. No token need be there.
    public func pairedTokens() async throws(KanalError) -> [PairedToken] {
        try await working(on: worker) { [service] () throws(KanalError) in
            try kanalError { () throws(TokensError) in try service.slots.pairedTokens() }.map { token in
                PairedToken(
                    serialNumber: token.serial, label: token.label, created: token.created, lastUsed: token.lastUsed)
            }
        }
    }

    /// Forgets a token on this machine: the next use needs an activation. The token itself does not notice.
    ///
    /// - Throws: ``KanalError/objectNotFound`` if the pairing does not exist.
    public func removePairing(_ token: PairedToken) async throws(KanalError) {
        try await working(on: worker) { [service] () throws(KanalError) in
            try kanalError { () throws(TokensError) in
                try service.slots.removePairings(withToken: token.serialNumber)
            }
        }
    }
}

extension Session {
    /// The hosts that may open a channel to the token, by the token's own list.
    public func pairedHosts() throws(KanalError) -> [KnownHost] {
        try call { session throws(TokensError) in try session.slots.pairedHosts(in: session.slot) }.map { host in
            KnownHost(
                label: host.label, isActive: host.isActive, isSelf: host.isSelf,
                profile: ChannelDetails.Profile(host.profile),
                id: PairedHost.ID(index: host.index, profile: host.profile, hostID: host.hostID))
        }
    }

    /// Has the token forget a host. This host's own pairing is removed on both sides, and the session ends. Removing
    /// another host needs the security officer's login.
    public func unpair(_ host: KnownHost) throws(KanalError) {
        try inSlot { slot throws(TokensError) in try slot.removePairedHost(host.id) }
    }
}
