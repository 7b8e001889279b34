// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The operating system's generator, `getentropy(3)`.
package struct SystemRandom: RandomSource {
    package init() {}

    /// Passes the seed to the kernel, which stirs it into its pool and trusts it no further (`random(4)`).
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
