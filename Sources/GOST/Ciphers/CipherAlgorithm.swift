// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels

/// The block ciphers of GOST.
package enum CipherAlgorithm: Sendable, Hashable {
    /// GOST 28147-89 with these rows, and blocks of 8 bytes (RFC 5830).
    case gost28147(SBox)
    /// With blocks of 8 bytes (RFC 8891).
    case magma
    /// With blocks of 16 bytes (RFC 7801).
    case kuznyechik

    /// The bytes of a key of any of them.
    package static var keySize: Int { 32 }

    /// The bytes of a block.
    package var blockSize: Int { gost_block_size(name) }

    /// The name that the kernels have for it.
    var name: gost_cipher_name {
        switch self {
        case .gost28147: .gost28147
        case .magma: .magma
        case .kuznyechik: .kuznyechik
        }
    }
}
