// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// The key of one direction during one epoch (GSC/1, 13.1), with its schedule. Its end wipes it.
protocol MessageKey: AnyObject {
    /// Enciphers message `number` and appends the tag of 8 bytes over it and `associated`.
    func seal(
        _ plaintext: Span<UInt8>, number: UInt32, associated: Span<UInt8>
    ) throws(ChannelError) -> Secret

    /// Verifies, in constant time, the tag in the last 8 bytes of `sealed`, and only then deciphers the others; nil if
    /// the tag is wrong.
    func open(
        _ sealed: Span<UInt8>, number: UInt32, associated: Span<UInt8>
    ) throws(ChannelError) -> Secret?
}
