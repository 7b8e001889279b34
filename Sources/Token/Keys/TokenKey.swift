// SPDX-License-Identifier: Apache-2.0

import GOST
import HostCrypto
import Secrets

/// One half of a key pair.
package struct TokenKey: Sendable, Equatable {
    package enum Half: Sendable { case publicKey, privateKey }

    package var half: Half
    package var kind: CardKey
    /// The number of its key file; 0 before there is one, and for a public key that OpenSC has stored.
    package var number: UInt8 = 0
    package var properties: Properties

    /// The properties of a key in its file: tag 85, byte 2.
    package struct Properties: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Key agreement is allowed.
        package static let derives = Properties(rawValue: 0x01)
        /// The key signs the token's journal.
        package static let signsJournal = Properties(rawValue: 0x04)
        /// The key was made outside the token.
        package static let imported = Properties(rawValue: 0x08)
        static let all: Properties = [.derives, .signsJournal, .imported]
    }

    package init(_ half: Half, _ kind: CardKey, _ properties: Properties = []) {
        self.half = half
        self.kind = kind
        self.properties = properties
    }
}
