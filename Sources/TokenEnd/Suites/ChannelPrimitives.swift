// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// H, HM and EXP over a hash function.
enum ChannelPrimitives<Hash: HashFunction> {
    static func authenticate(_ message: Span<UInt8>, key: borrowing Secret) -> Secret {
        HMAC<Hash>.authenticate(message, key: key.bytes)
    }

    static func expand(
        _ key: borrowing Secret, label: String, seed: [UInt8], count: Int
    ) throws(GOSTError) -> Secret {
        try KDFTree<Hash>.derive(key: key.bytes, label: Array(label.utf8).span, seed: seed.span, count: count)
    }
}
