public import Locking
public import Logging
public import SecureChannel
public import Secrets

/// How tokens are to be treated, whichever they are.
public struct TokenSettings: Sendable {
    /// Where pairings with tokens are kept.
    public var pairings: PairingStore.Location {
        get { location() }
        set { location = { newValue } }
    }
    /// The name that tokens remember this host by; at most 32 bytes of it are used.
    public var hostLabel: String
    /// Source of everything random on the host.
    public var random: any RandomSource
    /// Receives warnings about what happens to channels. Never a secret.
    public var log: Logger
    /// What is decided about tokens.
    public var policy = TokenPolicy()
    /// For how many milliseconds an activation waits for a store that another process has locked.
    public var storePatience = 5000
    /// How time passes.
    public var clocks = Clocks.system
    /// Tokens that were found to have no channel, by whoever has a copy of these settings.
    let plainTokens = PlainTokens()
    /// What they last held, by whoever has a copy of these settings.
    let publicObjects = PublicObjects()
    /// Tells where pairings are kept at the moment.
    private var location: @Sendable () -> PairingStore.Location

    public init(pairings: PairingStore.Location, hostLabel: String, random: any RandomSource, log: Logger) {
        location = { pairings }
        self.hostLabel = hostLabel
        self.random = random
        self.log = log
    }

    /// Lets ``pairings`` be what `location` tells whenever it is asked for.
    public mutating func locatePairings(by location: @escaping @Sendable () -> PairingStore.Location) {
        self.location = location
    }
}
