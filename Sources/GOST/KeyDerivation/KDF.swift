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

extension KDF {
    /// The key at the end of a chain: each level's key comes from the one above by ``derive(key:label:seed:)`` with the
    /// labels "level1", "level2", … and the level's seed.
    static func chain(root: Span<UInt8>, seeds: [[UInt8]]) throws(GOSTError) -> Secret {
        guard root.count == 32 else { throw .invalidKeyLength }
        var key = Secret(copying: root)
        for (level, seed) in zip(1..., seeds) {
            let label = Array("level\(level)".utf8)
            key = derive(key: key.bytes, label: label.span, seed: seed.span)
        }
        return key
    }
}
