// SPDX-License-Identifier: Apache-2.0
package import Secrets

/// The pseudorandom functions of TLS 1.2: PRF_TLS_GOSTR3411_2012_256 and PRF_TLS_GOSTR3411_2012_512 (RFC 7836, 4.2.1),
/// which are RFC 5246's P_hash over ``Streebog256`` and ``Streebog512``.
package enum TLSPRF<Hash: HashFunction & ~Copyable> {
    /// Derives `count` bytes from `secret`, which can have any length.
    ///
    /// With S = label ‖ seed, A(0) = S and A(i) = HMAC(secret, A(i − 1)), block i is HMAC(secret, A(i) ‖ S).
    ///
    /// Constant time in its secret inputs, `secret` and `seed`.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `count` is less than 1.
    package static func derive(
        secret: Span<UInt8>, label: Span<UInt8>, seed: Span<UInt8>, count: Int
    ) throws(GOSTError) -> Secret {
        guard count >= 1 else { throw .invalidLength }
        let keyed = HMAC<Hash>(key: secret)
        let seed = Secret(copying: label).appending(seed)
        var derived = Secret(count: count)
        var output = derived.mutableBytes
        var a = seed.copy()
        for start in stride(from: 0, to: count, by: Hash.digestSize) {
            var next = keyed.copy()
            next.update(a.bytes)
            a = next.finalize()
            var code = keyed.copy()
            code.update(a.bytes)
            code.update(seed.bytes)
            let block = code.finalize()
            for index in start..<min(start + block.count, count) { output[index] = block.bytes[index - start] }
        }
        return derived
    }
}
