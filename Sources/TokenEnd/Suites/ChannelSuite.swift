// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// The token's part of the protocol in which the profiles differ (GSC/1, 3).
protocol ChannelSuite {
    static var profile: ChannelProfile { get }
    static var curve: Curve { get }
    /// The greatest plaintext of a message, whatever the token offers.
    static var maximumPlaintext: Int { get }
    /// The bytes of an epoch's keys.
    static var epochKeyCount: Int { get }

    /// H.
    static func hash(_ bytes: [UInt8]) -> [UInt8]
    /// HM(K, M), 32 bytes.
    static func authenticate(_ message: Span<UInt8>, key: borrowing Secret) -> Secret
    /// EXP(K, label, seed, n).
    static func expand(
        _ key: borrowing Secret, label: String, seed: [UInt8], count: Int
    ) throws(GOSTError) -> Secret

    /// The verifier of a slot's password (GSC/1, 5). Throws ``GOSTError/invalidPoint`` if another salt is needed.
    static func verifier(password: Span<UInt8>, salt: [UInt8]) throws(GOSTError) -> Secret
    /// Whether an object 82 of PAIR-1 or OPEN-1 has the profile's length.
    static func hasLength(ofShare bytes: [UInt8]) -> Bool
    /// Whether an object 82 of the right length is a valid point, where points are exchanged.
    static func isValid(share bytes: [UInt8]) -> Bool

    /// The token's part of a pairing whose PAIR-1 was accepted.
    static func pair(_ terms: PairingTerms, random: any RandomSource) throws(GOSTError) -> any PairingRun
    /// The token's part of an opening.
    static func contribute(random: any RandomSource) throws(GOSTError) -> any Contribution
    /// The keys of an epoch.
    static func keys(_ material: borrowing Secret) throws(GOSTError) -> any EpochKeys
}

/// PROTO, "GSC/1".
let protocolName = [UInt8]("GSC/1".utf8)
