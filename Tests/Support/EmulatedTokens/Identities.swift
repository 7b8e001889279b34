// SPDX-License-Identifier: Apache-2.0
package import Emulator

extension Identity {
    /// The Bluetooth token in one profile.
    package static func bt(_ profile: ChannelProfile) -> Identity { changed { $0.profiles = [profile] } }

    /// The Bluetooth token in one profile, with one session only and without batches.
    package static func single(_ profile: ChannelProfile) -> Identity {
        changed { offer in
            offer.profiles = [profile]
            offer.sessions = 1
            offer.features = nil
        }
    }

    /// A Bluetooth token with another offer.
    package static func changed(_ change: (inout ChannelOffer) -> Void) -> Identity {
        var identity = Identity.bt
        var offer = ChannelOffer()
        change(&offer)
        identity.channel = offer
        return identity
    }
}
