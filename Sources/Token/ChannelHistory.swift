import SecureChannel
public import Secrets

/// What a process remembers of its channels to the tokens in one reader, from one connection to the next.
public final class ChannelHistory {
    /// This process's name in channels.
    let instance: Instance
    /// Openings that led to nothing.
    var opens = FruitlessOpens()
    /// Whether a session was ever lost to others, so that a call had better ask whether it still is.
    var isContended = false

    public init(random: any RandomSource) throws(TokenError) {
        do { instance = try Instance(random: random) } catch { throw .channel(error) }
    }
}
