// SPDX-License-Identifier: Apache-2.0

import GOST
package import Secrets

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

/// The common data of a pairing once the token has PAIR-1.
package struct PairingTerms {
    let slot: Int
    /// ID_H and ID_T.
    let hostIdentity: [UInt8]
    let tokenIdentity: [UInt8]
    let salt: [UInt8]
    /// R_H or u1.
    let hostShare: [UInt8]
    let verifier: SharedSecret

    package init(
        slot: Int, hostIdentity: [UInt8], tokenIdentity: [UInt8], salt: [UInt8], hostShare: [UInt8],
        verifier: SharedSecret
    ) {
        self.slot = slot
        self.hostIdentity = hostIdentity
        self.tokenIdentity = tokenIdentity
        self.salt = salt
        self.hostShare = hostShare
        self.verifier = verifier
    }
}

/// A pairing between its two commands (GSC/1, 8).
protocol PairingRun: AnyObject {
    /// R_T or u2.
    var share: [UInt8] { get }
    /// The tag of DATA_A and DATA_B: 84 in clear, 86 enciphered.
    var dataTag: UInt8 { get }

    /// Whether MAC_A belongs to the host's data as they came.
    func isValid(_ mac: [UInt8], of data: [UInt8]) -> Bool
    /// DATA_A.
    func open(_ data: [UInt8]) throws(GOSTError) -> [UInt8]
    /// DATA_B as it is sent, and MAC_B.
    func seal(_ answer: [UInt8], to data: [UInt8]) throws(GOSTError) -> (data: [UInt8], mac: [UInt8])
}

/// The token's part of an opening between its choice and the agreement (GSC/1, 10).
protocol Contribution: AnyObject {
    /// C_T.
    var bytes: [UInt8] { get }

    /// Z.
    func agree(
        tokenKey: borrowing PrivateKey, host: PublicKey, hostContribution: [UInt8], transcript: [UInt8]
    ) throws(GOSTError) -> Secret
}

/// The keys of one epoch, with their schedules (GSC/1, 13.1). The associated data begin with n.
protocol EpochKeys: AnyObject {
    /// The plaintext of a command; nil if the tag is wrong.
    func open(_ ciphertext: [UInt8], tag: [UInt8], number: [UInt8], associated: [UInt8]) -> Secret?
    /// The ciphertext of a reply and its tag.
    func seal(
        _ plaintext: Span<UInt8>, number: [UInt8], associated: [UInt8]
    ) throws(GOSTError) -> (ciphertext: [UInt8], tag: [UInt8])
}

/// H, HM and EXP over a hash function.
enum ChannelPrimitives<Hash: HashFunction & ~Copyable> {
    static func authenticate(_ message: Span<UInt8>, key: borrowing Secret) -> Secret {
        HMAC<Hash>.authenticate(message, key: key.bytes)
    }

    static func expand(
        _ key: borrowing Secret, label: String, seed: [UInt8], count: Int
    ) throws(GOSTError) -> Secret {
        try KDFTree<Hash>.derive(key: key.bytes, label: Array(label.utf8).span, seed: seed.span, count: count)
    }
}

/// The profiles of GSC/1: which primitives a channel uses.
package enum ChannelProfile: UInt8, CaseIterable, Sendable {
    case classic = 1
    case modern = 2

    /// The profile's bit in lists of profiles.
    var bit: UInt8 { rawValue }

    /// The profile's part of the protocol.
    var suite: any ChannelSuite.Type {
        switch self {
        case .classic: ClassicSuite.self
        case .modern: ModernSuite.self
        }
    }
}

/// PROTO, "GSC/1".
let protocolName = [UInt8]("GSC/1".utf8)
