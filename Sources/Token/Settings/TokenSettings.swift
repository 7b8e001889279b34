// SPDX-License-Identifier: Apache-2.0

package import Locking
package import Logging
package import Secrets
package import SecureChannel
package import Storage
package import Translation

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
    package var hostLabel: String {
        get { label() }
        set { label = { newValue } }
    }
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
    /// Whether the administrator was warned that the store of pairings has too many files.
    let hasToldCrowding = Lock(false)
    /// Returns where things are kept at the moment.
    private var places: @Sendable () -> TokenPlaces
    private var label: @Sendable () -> String

    /// - Parameter hostLabel: Is asked when a token is activated: the database of users may be on another machine.
    package init(
        pairings: PairingStore.Location, hostLabel: @autoclosure @escaping @Sendable () -> String,
        random: any RandomSource, log: Logger
    ) {
        places = { TokenPlaces(pairings: pairings) }
        label = hostLabel
        self.random = random
        self.log = log
    }

    /// Logs that a folder, or a file in it, is not used, and why.
    package func toldOfFolder(_ folder: String, _ error: StorageError) {
        log.warning("the folder of a key container is not used: \(folder): \(error.explanation)")
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

/// Messages that `kanal doctor --log` explains. Each has its identifier in the metadata.
extension Logger {
    /// The metadata key that marks a message for the administrator: its value is `event` or `error`.
    package static let securityEventKey = "security"
    /// The metadata key of a message's identifier.
    package static let messageIDKey = "id"

    /// Logs a security event: a possible attack on a token or on this process, or a weakened protection. The log's
    /// handler shows it to the administrator, even if the log itself is not read.
    ///
    /// - Parameter reader: The PC/SC name of the token's reader.
    package func securityEvent(_ id: MessageID, _ message: Logger.Message, reader: String? = nil) {
        identified(.warning, id, message, reader: reader, security: "event")
    }

    /// Logs why tokens cannot be used, or not as the user would expect, until this machine is changed: an error of the
    /// configuration or of a store of pairings. The administrator is shown it, too.
    package func administratorError(_ id: MessageID, _ message: Logger.Message) {
        identified(.error, id, message, security: "error")
    }

    /// Logs a message for the user.
    package func identified(
        _ level: Logger.Level, _ id: @autoclosure () -> MessageID?, _ message: @autoclosure () -> Logger.Message,
        reader: String? = nil,
        security: String? = nil
    ) {
        log(
            level: level, message(),
            metadata: [Self.messageIDKey: id()?.rawValue, "reader": reader, Self.securityEventKey: security]
                .compactMapValues { $0.map { .string($0) } })
    }
}
