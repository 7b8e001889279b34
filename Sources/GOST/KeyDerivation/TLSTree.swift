// SPDX-License-Identifier: Apache-2.0
package import Secrets

/// TLSTREE, which gives each record of a TLS connection its key (RFC 9189, 8.1).
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
