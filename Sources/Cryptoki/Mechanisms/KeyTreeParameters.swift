// SPDX-License-Identifier: Apache-2.0

package import CCryptoki
import GOST
import HostCrypto
import Tokens

/// The parameters of KDF_TREE_GOSTR3411_2012_256 (`CK_KDF_TREE_GOST_PARAMS`).
package struct KeyTreeParameters: Sendable {
    package var label: [UInt8]
    package var seed: [UInt8]
    /// The bytes of the counter.
    package var r: CK_ULONG
    /// The bytes that the tree produces.
    package var length: CK_ULONG
    /// The key's offset in them.
    package var offset: CK_ULONG

    package init(label: [UInt8], seed: [UInt8], r: CK_ULONG, length: CK_ULONG, offset: CK_ULONG) {
        self.label = label
        self.seed = seed
        self.r = r
        self.length = length
        self.offset = offset
    }
}
