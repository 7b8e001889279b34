public import SecureChannel

/// What users and administrators decide about tokens, whichever they are.
public struct TokenPolicy: Sendable, Equatable {
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
    /// Whether searches pass over GOST key pairs, for programs that give up at a key of a type they do not know.
    public var hidesGOSTKeys = false

    /// What counts where nothing is decided.
    public init() {}

    /// Whether a reader counts as wireless (gsc1, 4).
    public func isWireless(_ reader: String) -> Bool {
        let words = reader.lowercased().split { !$0.isLetter && !$0.isNumber }
        return words.contains { ["bt", "bluetooth", "nfc", "contactless", "picc"].contains($0) }
            || wirelessReaders.contains { $0.matches(reader) }
    }

    /// How long the absence of a token from a reader may last.
    public func window(of reader: String) -> Duration {
        .seconds(isWireless(reader) ? reconnectWindow : reconnectWindowWired)
    }
}
