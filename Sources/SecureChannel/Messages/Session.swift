// SPDX-License-Identifier: Apache-2.0
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
    /// K_exp, to which a renewed session is bound.
    let exporter: Secret
    /// n of the last command made; its reply has the same.
    private(set) var number: UInt32 = 0
    /// S of the next epoch.
    private var seed: Secret
    private var keys: (command: any MessageKey, response: any MessageKey)?

    /// A session from S_0.
    init(suite: any Suite.Type, channel: UInt8, seed: consuming Secret, exporter: consuming Secret) {
        self.suite = suite
        self.channel = channel
        self.seed = seed
        self.exporter = exporter
    }

    /// Counts the next command and gives the key for it.
    mutating func nextCommandKey() throws(ChannelError) -> any MessageKey {
        guard number < Session.maximum else { throw .link(.reset) }
        if number.isMultiple(of: Session.epochLength) { try beginEpoch(number / Session.epochLength) }
        guard let keys else { throw .libraryFailure }
        number += 1
        return keys.command
    }

    /// The key for the reply to the last command.
    var responseKey: any MessageKey {
        get throws(ChannelError) {
            guard let keys else { throw .libraryFailure }
            return keys.response
        }
    }

    /// Derives the keys of an epoch. The keys before it, and their origin, are gone then.
    private mutating func beginEpoch(_ epoch: UInt32) throws(ChannelError) {
        var label: [UInt8] = []
        label.appendUInt32(epoch)
        let size = suite.messageKeySize
        let derived = try suite.expand(seed.bytes, label: "GSC1 epoch", seed: label, count: 2 * size + 32)
        keys = (
            try suite.messageKey(derived.bytes.extracting(0..<size)),
            try suite.messageKey(derived.bytes.extracting(size..<2 * size))
        )
        seed = derived.extracting(2 * size..<2 * size + 32)
    }
}
