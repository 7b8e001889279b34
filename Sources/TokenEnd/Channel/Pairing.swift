// SPDX-License-Identifier: Apache-2.0

import Secrets

/// A pairing that waits for PAIR-2 (GSC/1, 8).
struct Pairing {
    let profile: ChannelProfile
    let slot: Int
    /// ID_H of PAIR-1.
    let hostIdentity: [UInt8]
    let run: any PairingRun
}
