// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import Locking
import Token

/// The state that a manager and its tokens share: readers, sessions, and the application's settings. All sessions end
/// with it.
final class TokenService: Sendable {
    let readers: any ReaderService
    let settings: TokenSettings
    let library: Library
    let field: Field
    private let observers: Observers

    /// Observers of tokens' presence, by the reader of the token's sessions.
    private final class Observers: Sendable {
        let closures = Lock<[String: @Sendable (TokenPresence) -> Void]>([:])
    }

    init(
        readers: any ReaderService, settings: TokenSettings, field: Field = Field(nil),
        interaction: UserInteraction = UserInteraction()
    ) {
        let observers = Observers()
        self.field = field
        self.readers = readers
        self.settings = settings
        self.observers = observers
        library = Library(readers: readers, settings: settings, interaction: interaction) { reader, presence in
            observers.closures.withLock { $0[reader] }?(presence)
        }
    }

    deinit { library.finalize() }

    /// Sets `observer` for the presence of the token in a reader, in place of the former observer.
    func observe(_ reader: String, _ observer: @escaping @Sendable (TokenPresence) -> Void) {
        observers.closures.withLock { $0[reader] = observer }
    }

    /// The slots with tokens.
    ///
    /// - Throws: ``KanalError/notStarted(_:)`` if the list is empty because the readers' service is unavailable.
    func slots() throws(KanalError) -> [CK_SLOT_ID] {
        let slots = try translated { () throws(CKError) in try library.slots(tokenPresent: true, isQuery: false) }
        if slots.isEmpty { try requireReaders() }
        return slots
    }

    /// - Throws: ``KanalError/notStarted(_:)`` if no readers are listed because their service is unavailable.
    func requireReaders() throws(KanalError) {
        if let obstacle = readers.obstacle.flatMap(KanalError.Obstacle.init) { throw .notStarted(obstacle) }
    }

    /// Reads the information of the token in a slot. A channel that another process has open stays open.
    func information(on slot: CK_SLOT_ID) throws(KanalError) -> TokenInformation {
        try translated { () throws(CKError) in
            try TokenInformation(library.token(in: slot, evicting: false), reader: library.slot(slot).reader)
        }
    }
}
