// SPDX-License-Identifier: Apache-2.0
package import Locking
package import Logging
package import SecureChannel
package import Secrets

/// How tokens are to be treated, whichever they are.
package struct TokenSettings: Sendable {
    /// The location of pairings with tokens.
    package var pairings: PairingStore.Location {
        get { places().pairings }
        set {
            let cache = cache
            places = { TokenPlaces(pairings: newValue, cache: cache) }
        }
    }
    /// The directory of the cache of tokens, if the policy wants one; nil for none.
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
    /// Receives warnings about channels. Never a secret.
    package var log: Logger
    /// The policy for all tokens.
    package var policy = TokenPolicy()
    /// The milliseconds for which an activation waits for a store that another process has locked.
    package var storePatience = 5000
    /// How time passes.
    package var clocks = Clocks.system
    /// Tokens that were found to have no channel, shared by all copies of these settings.
    let plainTokens = PlainTokens()
    /// Their last public files, shared by all copies of these settings.
    let publicFiles = TokenMemory<KnownFiles>()
    /// Their last information, shared by all copies of these settings.
    let information = TokenMemory<KnownInfo>()
    /// Whether the administrator was told that the store of pairings has too many files.
    let hasToldCrowding = Lock(false)
    /// Tells where things are kept at the moment.
    private var places: @Sendable () -> TokenPlaces

    package init(pairings: PairingStore.Location, hostLabel: String, random: any RandomSource, log: Logger) {
        places = { TokenPlaces(pairings: pairings) }
        self.hostLabel = hostLabel
        self.random = random
        self.log = log
    }

    /// Lets `pairings` and `cache` be the result of `places` at each use.
    package mutating func locate(by places: @escaping @Sendable () -> TokenPlaces) { self.places = places }
}

/// The locations of a user's data.
package struct TokenPlaces: Sendable {
    package var pairings: PairingStore.Location
    package var cache: String?

    package init(pairings: PairingStore.Location, cache: String? = nil) {
        self.pairings = pairings
        self.cache = cache
    }
}
