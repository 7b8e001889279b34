// SPDX-License-Identifier: Apache-2.0
package import Locking
package import Logging
package import SecureChannel
package import Secrets

/// How tokens are to be treated, whichever they are.
package struct TokenSettings: Sendable {
    /// Where pairings with tokens are kept.
    package var pairings: PairingStore.Location {
        get { places().pairings }
        set {
            let cache = cache
            places = { TokenPlaces(pairings: newValue, cache: cache) }
        }
    }
    /// The directory of what is kept of tokens, if the policy wants that; nil for none.
    package var cache: String? {
        get { places().cache }
        set {
            let pairings = pairings
            places = { TokenPlaces(pairings: pairings, cache: newValue) }
        }
    }
    /// The name that tokens remember this host by; at most 32 bytes of it are used.
    package var hostLabel: String
    /// Source of everything random on the host.
    package var random: any RandomSource
    /// Receives warnings about what happens to channels. Never a secret.
    package var log: Logger
    /// What is decided about tokens.
    package var policy = TokenPolicy()
    /// For how many milliseconds an activation waits for a store that another process has locked.
    package var storePatience = 5000
    /// How time passes.
    package var clocks = Clocks.system
    /// Tokens that were found to have no channel, by whoever has a copy of these settings.
    let plainTokens = PlainTokens()
    /// What they last held for everybody, by whoever has a copy of these settings.
    let publicFiles = TokenMemory<KnownFiles>()
    /// What they last told of themselves, by whoever has a copy of these settings.
    let information = TokenMemory<KnownInfo>()
    /// Whether it was told that the store of pairings has too many files.
    let hasToldCrowding = Lock(false)
    /// Tells where things are kept at the moment.
    private var places: @Sendable () -> TokenPlaces

    package init(pairings: PairingStore.Location, hostLabel: String, random: any RandomSource, log: Logger) {
        places = { TokenPlaces(pairings: pairings) }
        self.hostLabel = hostLabel
        self.random = random
        self.log = log
    }

    /// Lets `pairings` and `cache` be what `places` tells whenever one is asked for.
    package mutating func locate(by places: @escaping @Sendable () -> TokenPlaces) { self.places = places }
}

/// Where a user's things are kept.
package struct TokenPlaces: Sendable {
    package var pairings: PairingStore.Location
    package var cache: String?

    package init(pairings: PairingStore.Location, cache: String? = nil) {
        self.pairings = pairings
        self.cache = cache
    }
}
