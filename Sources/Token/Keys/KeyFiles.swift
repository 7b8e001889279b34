// SPDX-License-Identifier: Apache-2.0

import GOST
import HostCrypto

/// The properties of the two key files of a pair.
package struct KeyFiles {
    /// Tag 85, byte 0, of the private key; the public key's has bit 4 set.
    let type: UInt8
    /// Tag 85, byte 1: the parameter set.
    let parameter: UInt8
    /// Bytes of the values.
    let privateSize, publicSize: Int
    /// Bytes of a file behind its value.
    var padding = 0
}
