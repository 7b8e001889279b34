// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
package import Secrets

/// INST: names one process among several that share a host key (GSC/1, 10).
///
/// Drawn once per process and token, never stored, and drawn again in a forked child. When the process opens a new
/// session with it, the token forgets the process's older one.
package struct Instance: Sendable {
    /// 8 bytes.
    let bytes: [UInt8]

    package init(random: any RandomSource) throws(ChannelError) {
        bytes = try drawing { () throws(RandomUnavailable) in try random.bytes(8) }
    }
}
