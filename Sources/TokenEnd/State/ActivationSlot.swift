// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
package import Secrets

/// One activation password: the verifiers and the tries left, never the password (GSC/1, 5 and 7).
package struct ActivationSlot: Sendable {
    static let limits = (5, 10, 1000)

    package let salt: [UInt8]
    /// K_F of the classic profile, Q_PW of the modern one; only of the profiles that the slot serves.
    package let verifiers: [ChannelProfile: SharedSecret]
    /// Failed pairings that are left before one must succeed (C1 of GSC/1).
    package var triesInARow = ActivationSlot.limits.0
    /// Failed pairings that are left altogether; a success restores one (C2).
    package var failuresLeft = ActivationSlot.limits.1
    /// Pairings that are left to begin (C3).
    package var attemptsLeft = ActivationSlot.limits.2
    package var isOneTime = false
    package var isConsumed = false

    package init(salt: [UInt8], verifiers: [ChannelProfile: SharedSecret]) {
        self.salt = salt
        self.verifiers = verifiers
    }

    /// The list of the profiles that the slot serves.
    var profiles: UInt8 { verifiers.keys.reduce(0) { $0 | $1.bit } }

    /// The state in E3 of a slot that is not empty.
    enum Condition: UInt8 {
        case ready = 1
        case blocked = 2
        case exhausted = 3
        case consumed = 4
    }

    var condition: Condition {
        if isConsumed { return .consumed }
        if failuresLeft == 0 || attemptsLeft == 0 { return .exhausted }
        return triesInARow == 0 ? .blocked : .ready
    }
}

extension ActivationSlot {
    func append(to bytes: inout [UInt8]) {
        bytes.append(profiles)
        bytes += salt
        for profile in ChannelProfile.allCases {
            if let verifier = verifiers[profile] { bytes.appendSecret(verifier) }
        }
        for number in [triesInARow, failuresLeft, attemptsLeft] { bytes.appendUInt16(number) }
        bytes.append((isOneTime ? 1 : 0) | (isConsumed ? 2 : 0))
    }

    /// Nil for an empty slot.
    init?(from cursor: inout ByteCursor) throws(MalformedBytes) {
        guard try cursor.byte() != 0 else { return nil }
        let profiles = try ChannelProfile.list(try cursor.byte())
        let salt = try cursor.bytes(16)
        var verifiers: [ChannelProfile: SharedSecret] = [:]
        for profile in profiles {
            guard let verifier = try cursor.secret() else { throw MalformedBytes() }
            verifiers[profile] = verifier
        }
        self.init(salt: salt, verifiers: verifiers)
        triesInARow = try cursor.uint16()
        failuresLeft = try cursor.uint16()
        attemptsLeft = try cursor.uint16()
        let marks = try cursor.byte()
        isOneTime = marks & 1 != 0
        isConsumed = marks & 2 != 0
    }
}
