// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels

/// The block ciphers of GOST R 34.12-2015.
package enum CipherAlgorithm: Sendable, CaseIterable {
    /// With blocks of 8 bytes (RFC 8891).
    case magma
    /// With blocks of 16 bytes (RFC 7801).
    case kuznyechik

    /// The bytes of a block.
    package var blockSize: Int { gost_block_size(name) }

    /// The name that the kernels have for it.
    var name: gost_cipher_name { self == .magma ? .magma : .kuznyechik }
}
