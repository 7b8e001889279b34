// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// The keys of one epoch, with their schedules (GSC/1, 13.1). The associated data begin with n.
protocol EpochKeys: AnyObject {
    /// The plaintext of a command; nil if the tag is wrong.
    func open(_ ciphertext: [UInt8], tag: [UInt8], number: [UInt8], associated: [UInt8]) -> Secret?
    /// The ciphertext of a reply and its tag.
    func seal(
        _ plaintext: Span<UInt8>, number: [UInt8], associated: [UInt8]
    ) throws(GOSTError) -> (ciphertext: [UInt8], tag: [UInt8])
}
