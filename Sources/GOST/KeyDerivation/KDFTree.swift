// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// The tree KDF of RFC 7836, 4.4 (KDF_TREE_GOSTR3411_2012_256), over any GOST hash function.
package enum KDFTree<Hash: HashFunction> {
    /// Derives `count` bytes from `key`.
    ///
    /// Block i is HMAC(key, [i] ‖ label ‖ 00 ‖ seed ‖ [L]): [i] is the block's number in `r` bytes, [L] the number of
    /// bits asked for in as few bytes as hold it, both most significant byte first.
    ///
    /// Constant time in its secret inputs, `key` and `seed`.
    ///
    /// - Throws: ``GOSTError/invalidParameter`` if `r` is not in 1…4, ``GOSTError/invalidLength`` if `count` is not in
    ///   1…2^(8r) − 1 blocks.
    package static func derive(
        key: Span<UInt8>, label: Span<UInt8>, seed: Span<UInt8>, r: Int = 1, count: Int
    ) throws(GOSTError) -> Secret {
        guard (1...4).contains(r) else { throw .invalidParameter }
        guard count >= 1, (count - 1) / Hash.digestSize < (1 << (8 * r)) - 1 else { throw .invalidLength }

        let path = Instructions.current.path
        var derived = Secret(count: count)
        var output = derived.mutableBytes
        unsafe key.withUnsafeBufferPointer { key in
            unsafe label.withUnsafeBufferPointer { label in
                unsafe seed.withUnsafeBufferPointer { seed in
                    unsafe output.withUnsafeMutableBufferPointer {
                        unsafe gost_kdf_tree(
                            path, Hash.algorithm.name, gost_octets(key), gost_octets(label), gost_octets(seed), r,
                            $0.baseAddress, $0.count)
                    }
                }
            }
        }
        return derived
    }
}

extension gost_octets {
    fileprivate init(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe self.init(octets: bytes.baseAddress, length: bytes.count)
    }
}
