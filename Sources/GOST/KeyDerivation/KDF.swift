// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// KDF_GOSTR3411_2012_256 (RFC 7836, 4.5).
package enum KDF {
    /// Derives 32 bytes from `key`: HMAC_GOSTR3411_2012_256(key, 01 ‖ label ‖ 00 ‖ seed ‖ 01 00).
    ///
    /// This is one block of ``KDFTree``. Constant time in its secret inputs, `key` and `seed`.
    package static func derive(key: Span<UInt8>, label: Span<UInt8>, seed: Span<UInt8>) -> Secret {
        var code = HMAC<Streebog256>(key: key)
        code.update([1].span)
        code.update(label)
        code.update([0].span)
        code.update(seed)
        code.update([1, 0].span)
        return code.finalize()
    }
}
