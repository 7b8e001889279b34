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

    /// Runs PAIR-1 and PAIR-2 of section 8: gives DATA_A to the token that knows the password, and returns DATA_B,
    /// verified.
    static func exchange(
        _ data: [UInt8], between parties: PairingParties, password: borrowing ActivationPassword,
        over link: PairingLink, random: any RandomSource
    ) throws(ChannelError) -> [UInt8]
}

extension Suite {
    static func hash(_ message: [UInt8]) -> [UInt8] { hash(message.span) }
}

/// The key of one direction during one epoch (GSC/1, 13.1), with its schedule. Its end wipes it.
protocol MessageKey: AnyObject {
    /// Enciphers message `number` and appends the tag of 8 bytes over it and `associated`.
    func seal(
        _ plaintext: Span<UInt8>, number: UInt32, associated: Span<UInt8>
    ) throws(ChannelError) -> Secret

    /// Verifies, in constant time, the tag in the last 8 bytes of `sealed`, and only then deciphers the others; nil if
    /// the tag is wrong.
    func open(
        _ sealed: Span<UInt8>, number: UInt32, associated: Span<UInt8>
    ) throws(ChannelError) -> Secret?
}

/// One side's contribution to a session (GSC/1, 3 and 10).
struct Contribution: ~Copyable {
    /// C, as it is sent.
    let bytes: [UInt8]
    /// The private key that belongs to it; empty if C is just a random number.
    let secret: Secret
}

/// The parties of a pairing, and its slot (GSC/1, 8).
struct PairingParties {
    let slot: UInt8
    let salt: [UInt8]
    let hostID: [UInt8]
    let tokenID: [UInt8]
}

/// The two sets of primitives of GSC/1 (section 3). The raw value is PID.
package enum Profile: UInt8, Sendable, CaseIterable, Comparable {
    /// GOST R 34.11-94, VKO GOST R 34.10-2001, GOST 28147-89.
    case classic = 1
    /// GOST R 34.11-2012, SESPAKE, VKO GOST R 34.10-2012, Kuznyechik-MGM.
    case modern = 2

    /// The higher profile protects better.
    package static func < (left: Profile, right: Profile) -> Bool { left.rawValue < right.rawValue }

    /// The profile's bit in E1.82 and E3.82.
    var bit: UInt8 { rawValue }

    /// The least number of random symbols in an activation password (section 5).
    var leastRandomSymbols: Int { self == .modern ? 11 : 15 }

    /// The profiles whose bits are set.
    static func set(bits: UInt8) -> Set<Profile> { Set(allCases.filter { bits & $0.bit != 0 }) }

    /// The computations of this profile.
    var suite: any Suite.Type {
        switch self {
        case .classic: ClassicSuite.self
        case .modern: ModernSuite.self
        }
    }
}
