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

/// ESPTREE, which derives the keys of the packets of an IPsec security association (RFC 9227, 4.1).
package enum ESPTree {
    /// The key, 32 bytes, of the packets whose initialisation vector holds `i1`, `i2` and `i3`.
    ///
    /// The seeds of its three levels are 00 ‖ i1, i2 and i3, each in two bytes, most significant first.
    ///
    /// Constant time in its secret input, the root key.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength`` unless the root key has 32 bytes.
    package static func key(root: Span<UInt8>, i1: UInt8, i2: UInt16, i3: UInt16) throws(GOSTError) -> Secret {
        try KDF.chain(root: root, seeds: [[0, i1], [UInt8](bigEndian: i2), [UInt8](bigEndian: i3)])
    }
}

/// TLSTREE, which derives the key of each record of a TLS connection (RFC 9189, 8.1).
package struct TLSTree: Sendable, Hashable {
    /// The constants C_1, C_2, C_3: the bits of a record's number that each level of the tree looks at.
    let masks: [UInt64]

    private init(_ c1: UInt64, _ c2: UInt64, _ c3: UInt64) {
        masks = [c1, c2, c3]
    }

    /// TLS_GOSTR341112_256_WITH_KUZNYECHIK_CTR_OMAC (RFC 9189, 4.1).
    package static let kuznyechikCTROMAC = TLSTree(0xFFFF_FFFF_0000_0000, 0xFFFF_FFFF_FFF8_0000, 0xFFFF_FFFF_FFFF_FFC0)

    /// TLS_GOSTR341112_256_WITH_MAGMA_CTR_OMAC (RFC 9189, 4.1).
    package static let magmaCTROMAC = TLSTree(0xFFFF_FFC0_0000_0000, 0xFFFF_FFFF_FE00_0000, 0xFFFF_FFFF_FFFF_F000)

    /// TLS_GOSTR341112_256_WITH_KUZNYECHIK_MGM_L (RFC 9367, 4.1).
    package static let kuznyechikMGML = TLSTree(0xF800_0000_0000_0000, 0xFFFF_FFF0_0000_0000, 0xFFFF_FFFF_FFFF_E000)

    /// TLS_GOSTR341112_256_WITH_MAGMA_MGM_L (RFC 9367, 4.1).
    package static let magmaMGML = TLSTree(0xFFE0_0000_0000_0000, 0xFFFF_FFFF_C000_0000, 0xFFFF_FFFF_FFFF_FF80)

    /// TLS_GOSTR341112_256_WITH_KUZNYECHIK_MGM_S (RFC 9367, 4.1).
    package static let kuznyechikMGMS = TLSTree(0xFFFF_FFFF_E000_0000, 0xFFFF_FFFF_FFFF_0000, 0xFFFF_FFFF_FFFF_FFF8)

    /// TLS_GOSTR341112_256_WITH_MAGMA_MGM_S (RFC 9367, 4.1).
    package static let magmaMGMS = TLSTree(0xFFFF_FFFF_FC00_0000, 0xFFFF_FFFF_FFFF_E000, 0xFFFF_FFFF_FFFF_FFFF)

    /// The key, 32 bytes, of the record with a sequence number.
    ///
    /// Constant time in its secret input, the root key.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength`` unless the root key has 32 bytes.
    package func key(root: Span<UInt8>, sequenceNumber: UInt64) throws(GOSTError) -> Secret {
        try KDF.chain(root: root, seeds: masks.map { [UInt8](bigEndian: sequenceNumber & $0) })
    }
}
