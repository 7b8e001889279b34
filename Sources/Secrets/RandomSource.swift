// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The source of keys, nonces and challenges: the operating system, or a published vector in a test.
package protocol RandomSource: Sendable {
    /// Fills all of `bytes` or throws.
    func fill(_ bytes: inout MutableSpan<UInt8>) throws(RandomUnavailable)

    /// Mixes a seed in, if the source accepts seeds.
    func mix(_ seed: Span<UInt8>)
}

extension RandomSource {
    package func mix(_ seed: Span<UInt8>) {}

    /// `count` random bytes that need not be kept secret.
    package func bytes(_ count: Int) throws(RandomUnavailable) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(count, 0))
        var span = bytes.mutableSpan
        try fill(&span)
        return bytes
    }

    /// `count` random bytes to be kept secret.
    package func secret(_ count: Int) throws(RandomUnavailable) -> Secret {
        var secret = Secret(count: count)
        var span = secret.mutableBytes
        try fill(&span)
        return secret
    }
}
