// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
package import Secrets

/// The token's long-term key pair of one profile.
package struct ChannelKey: Sendable {
    /// 32 bytes, little-endian.
    package let scalar: SharedSecret
    /// X ‖ Y, 64 bytes, both little-endian.
    package let publicKey: [UInt8]

    package init(scalar: SharedSecret, publicKey: [UInt8]) {
        self.scalar = scalar
        self.publicKey = publicKey
    }
}

extension [ChannelProfile: ChannelKey] {
    /// New key pairs for the profiles.
    static func generate(_ profiles: [ChannelProfile], random: any RandomSource) throws(GOSTError) -> Self {
        var keys: Self = [:]
        for profile in profiles {
            let key = try PrivateKey.generate(on: profile.suite.curve, random: random)
            let publicKey = try key.publicKey()
            keys[profile] = ChannelKey(scalar: SharedSecret(key.scalar.copy()), publicKey: publicKey.bytes)
        }
        return keys
    }
}
