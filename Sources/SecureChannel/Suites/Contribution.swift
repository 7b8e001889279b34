// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets

/// One side's contribution to a session (GSC/1, 3 and 10).
struct Contribution: ~Copyable {
    /// C, as it is sent.
    let bytes: [UInt8]
    /// The private key that belongs to it; empty if C is just a random number.
    let secret: Secret
}
