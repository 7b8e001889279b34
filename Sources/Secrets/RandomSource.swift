// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The operating system could not deliver random bytes. Nothing that needed them may go on.
package struct RandomUnavailable: Error, Sendable {
    package init() {}
}

/// The source of keys, nonces and challenges: the operating system, or a published vector in a test.
package protocol RandomSource: Sendable {
    /// Fills all of `bytes` or throws.
    func fill(_ bytes: inout MutableSpan<UInt8>) throws(RandomUnavailable)

    /// Mixes a seed in, if the source takes one.
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

/// The operating system's generator, `getentropy(3)`.
package struct SystemRandom: RandomSource {
    package init() {}

    /// Gives the seed to the kernel, which stirs it into its pool and trusts it no further (`random(4)`).
    package func mix(_ seed: Span<UInt8>) {
        let device = unsafe open("/dev/urandom", O_WRONLY | O_CLOEXEC)
        guard device >= 0 else { return }
        _ = unsafe seed.withUnsafeBytes { bytes in unsafe write(device, bytes.baseAddress, bytes.count) }
        close(device)
    }

    package func fill(_ bytes: inout MutableSpan<UInt8>) throws(RandomUnavailable) {
        let filled = unsafe bytes.withUnsafeMutableBytes { buffer in
            var offset = 0
            while offset < buffer.count {
                let count = min(buffer.count - offset, 256)
                guard unsafe getentropy(buffer.baseAddress?.advanced(by: offset), count) == 0 else { return false }
                offset += count
            }
            return true
        }
        guard filled else { throw RandomUnavailable() }
    }
}
