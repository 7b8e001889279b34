// SPDX-License-Identifier: Apache-2.0

import GOST
package import Secrets

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
