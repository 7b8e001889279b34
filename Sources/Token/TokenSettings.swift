public import Locking
public import Logging
public import SecureChannel
public import Secrets

/// How tokens are to be treated, whichever they are. What protects the user is documented in GSC/1, 2.
public struct TokenSettings: Sendable {
    /// The directory where pairings with tokens are kept; nil if there is no place, so that nothing can be activated.
    public var pairings: String?
    /// The name that tokens remember this host by; at most 32 bytes of it are used.
    public var hostLabel: String
    /// Source of everything random on the host.
    public var random: any RandomSource
    /// Receives warnings about what happens to channels. Never a secret.
    public var log: Logger
    /// How time passes.
    public var clocks = Clocks.system

    /// The lowest profile in which a channel may be opened.
    public var minimumProfile = Profile.classic
    /// Whether tokens are worked with in a secure channel only, in whatever reader.
    public var requiresProtection = false
    /// Whether the PIN of a login is kept, to be presented again when the channel had to be opened anew.
    public var retainsPIN = true
    /// How long sessions and login outlive the absence of a token from a wireless reader.
    public var reconnectWindow = Duration.seconds(20)
    /// The same for the other readers.
    public var wiredReconnectWindow = Duration.zero
    /// Names of readers that count as wireless besides those whose name says so. `*` stands for any characters, `?` for
    /// any one; case does not matter.
    public var wirelessReaders: [String] = []

    public init(pairings: String?, hostLabel: String, random: any RandomSource, log: Logger) {
        self.pairings = pairings
        self.hostLabel = hostLabel
        self.random = random
        self.log = log
    }

    /// Whether a reader counts as wireless (GSC/1, 4).
    public func isWireless(_ reader: String) -> Bool {
        let name = reader.lowercased()
        let words = name.split { !$0.isLetter && !$0.isNumber }
        return words.contains { ["bt", "bluetooth", "nfc", "contactless", "picc"].contains($0) }
            || wirelessReaders.contains { Self.matches(name[...], $0.lowercased()[...]) }
    }

    /// How long the absence of a token from a reader may last.
    public func window(of reader: String) -> Duration { isWireless(reader) ? reconnectWindow : wiredReconnectWindow }

    /// Whether `name` is one that `pattern` stands for. The last `*` takes more and more until the rest fits.
    private static func matches(_ name: Substring, _ pattern: Substring) -> Bool {
        var (name, pattern) = (name, pattern)
        var retry: (name: Substring, pattern: Substring)?
        while !name.isEmpty {
            if pattern.first == "*" {
                pattern.removeFirst()
                retry = (name, pattern)
            } else if let symbol = pattern.first, symbol == "?" || symbol == name.first {
                pattern.removeFirst()
                name.removeFirst()
            } else if let last = retry {
                retry = (last.name.dropFirst(), last.pattern)
                (name, pattern) = (last.name.dropFirst(), last.pattern)
            } else {
                return false
            }
        }
        return pattern.allSatisfy { $0 == "*" }
    }
}
