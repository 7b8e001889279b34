// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto

/// An algorithm of message authentication codes.
enum CodeAlgorithm: Sendable {
    /// GOST 28147-89 with 32 bits. The parameter set decides on key meshing. The IV has 8 bytes or none.
    case gost28147
    /// OMAC of one block (GOST R 34.13-2015, 5.6).
    case magma, kuznyechik
    case hmac(DigestAlgorithm)

    /// The bytes of a MAC.
    var size: Int {
        switch self {
        case .gost28147: 4
        case .magma: Magma.blockSize
        case .kuznyechik: Kuznyechik.blockSize
        case .hmac(let hash): hash.size
        }
    }

    /// The types of keys that the MAC is computed with.
    var keyTypes: [SecretKeyType] {
        switch self {
        case .gost28147: [.gost28147]
        case .magma: [.magma]
        case .kuznyechik: [.kuznyechik]
        case .hmac(let hash): [.hmac(hash), .generic, .gost28147, .magma, .kuznyechik]
        }
    }
}
