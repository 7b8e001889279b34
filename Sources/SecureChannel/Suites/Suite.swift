// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets

/// The computations in which the two profiles differ (GSC/1, 3). Everything else is written once, over this.
protocol Suite {
    static var profile: Profile { get }
    /// The curve of all key pairs.
    static var curve: Curve { get }
    /// The greatest number of bytes of plaintext in one message, and of data in one command.
    static var maximumMessage: Int { get }
    /// The size of the key of one direction, in bytes.
    static var messageKeySize: Int { get }
    /// The size of a contribution to a session, in bytes.
    static var contributionSize: Int { get }

    /// H, 32 bytes. Constant time in the message.
    static func hash(_ message: Span<UInt8>) -> [UInt8]

    /// HM(key, message), 32 bytes. Constant time in its secret inputs.
    static func authenticate(_ message: Span<UInt8>, key: Span<UInt8>) -> Secret

    /// EXP(key, label, seed, count). Constant time in its secret inputs.
    static func expand(
        _ key: Span<UInt8>, label: String, seed: [UInt8], count: Int
    ) throws(ChannelError) -> Secret

    /// The host's contribution to a new session.
    static func contribute(_ random: any RandomSource) throws(ChannelError) -> Contribution

    /// Z of section 10, from the long-term keys and both contributions.
    ///
    /// - Throws: ``ChannelError/malformedResponse`` if `peer` cannot be a contribution.
    static func agree(
        _ hostKey: borrowing PrivateKey, _ tokenKey: PublicKey, own: borrowing Contribution, peer: [UInt8],
        transcript: [UInt8]
    ) throws(ChannelError) -> Secret

    /// Prepares the key of one direction for the messages of one epoch.
    static func messageKey(_ key: Span<UInt8>) throws(ChannelError) -> any MessageKey

    /// Runs PAIR-1 and PAIR-2 of section 8: sends DATA_A to the token that knows the password, and returns DATA_B,
    /// verified.
    static func exchange(
        _ data: [UInt8], between parties: PairingParties, password: borrowing ActivationPassword,
        over link: PairingLink, random: any RandomSource
    ) throws(ChannelError) -> [UInt8]
}

extension Suite {
    static func hash(_ message: [UInt8]) -> [UInt8] { hash(message.span) }
}
