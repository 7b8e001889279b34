import APDU
import Secrets

/// The keys and the message counter of one session (GSC/1, 13 and 14). Its end wipes the keys.
struct Session: ~Copyable {
    /// The greatest number of commands in a session.
    static let maximum: UInt32 = 65_536
    /// The number of commands under the same keys.
    private static let epochLength: UInt32 = 256

    let suite: any Suite.Type
    /// The logical channel, 0 to 3.
    let channel: UInt8
    /// n of the last command made; its reply has the same.
    private(set) var number: UInt32 = 0
    /// S of the next epoch.
    private var seed: Secret
    private(set) var commandKey = Secret(count: 0)
    private(set) var responseKey = Secret(count: 0)

    /// A session from S_0.
    init(suite: any Suite.Type, channel: UInt8, seed: consuming Secret) {
        self.suite = suite
        self.channel = channel
        self.seed = seed
    }

    /// Counts the next command, and derives the keys of its epoch if it is the epoch's first. The keys before it, and
    /// what they came from, are gone then.
    mutating func advance() throws(ChannelError) {
        guard number < Session.maximum else { throw .libraryFailure }
        let epoch = number / Session.epochLength
        if number % Session.epochLength == 0 {
            var label: [UInt8] = []
            label.appendUInt32(epoch)
            let size = suite.messageKeySize
            let keys = try suite.expand(seed.bytes, label: "GSC1 epoch", seed: label, count: 2 * size + 32)
            commandKey = keys.extracting(0..<size)
            responseKey = keys.extracting(size..<2 * size)
            seed = keys.extracting(2 * size..<2 * size + 32)
        }
        number += 1
    }
}
