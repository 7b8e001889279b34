// SPDX-License-Identifier: Apache-2.0
package import Secrets

/// The pseudorandom functions of IKEv2: PRF_IPSEC_PRFPLUS_GOSTR3411_2012_256 and PRF_IPSEC_PRFPLUS_GOSTR3411_2012_512
/// (RFC 7836, 4.2.2), which are RFC 7296's prf+ over ``Streebog256`` and ``Streebog512``.
package enum PRFPlus<Hash: HashFunction & ~Copyable> {
    /// Derives `count` bytes from `key`, which can have any length.
    ///
    /// Block i is T(i) = HMAC(key, T(i − 1) ‖ seed ‖ [i]), where T(0) is empty and [i] is one byte.
    ///
    /// Constant time in its secret inputs, `key` and `seed`.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `count` is not in 1…255 blocks.
    package static func derive(key: Span<UInt8>, seed: Span<UInt8>, count: Int) throws(GOSTError) -> Secret {
        guard count >= 1, (count - 1) / Hash.digestSize < 255 else { throw .invalidLength }
        let keyed = HMAC<Hash>(key: key)
        var derived = Secret(count: count)
        var output = derived.mutableBytes
        var block = Secret(count: 0)
        for start in stride(from: 0, to: count, by: Hash.digestSize) {
            var code = keyed.copy()
            code.update(block.bytes)
            code.update(seed)
            code.update([UInt8(truncatingIfNeeded: start / Hash.digestSize + 1)].span)
            block = code.finalize()
            for index in start..<min(start + block.count, count) { output[index] = block.bytes[index - start] }
        }
        return derived
    }
}
