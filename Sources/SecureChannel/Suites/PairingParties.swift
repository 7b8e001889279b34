// SPDX-License-Identifier: Apache-2.0

import GOST

/// The parties of a pairing, and its slot (GSC/1, 8).
struct PairingParties {
    let slot: UInt8
    let salt: [UInt8]
    let hostID: [UInt8]
    let tokenID: [UInt8]
}
