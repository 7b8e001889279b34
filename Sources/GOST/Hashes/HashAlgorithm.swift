// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels

/// The hash functions of the family, for a choice at run time.
package enum HashAlgorithm: Sendable, CaseIterable {
    /// GOST R 34.11-94 with the CryptoPro parameter set.
    case gostR341194
    /// GOST R 34.11-2012 with 256 bits.
    case streebog256
    /// GOST R 34.11-2012 with 512 bits.
    case streebog512

    /// The number of bytes of a digest.
    package var digestSize: Int { gost_hash_size(name) }

    /// The number of bytes of a block, to which ``HMAC`` pads its key.
    package var blockSize: Int { gost_hash_block_size(name) }

    /// The name that the kernels have for it.
    var name: gost_hash_name {
        switch self {
        case .gostR341194: .r341194
        case .streebog256: .streebog256
        case .streebog512: .streebog512
        }
    }

    /// The same for a choice when the program is compiled.
    package var function: any HashFunction.Type {
        switch self {
        case .gostR341194: GOSTR341194.self
        case .streebog256: Streebog256.self
        case .streebog512: Streebog512.self
        }
    }

    /// The object identifier of the parameter set in DER, tag and length included (RFC 4357, 8.2; RFC 9215, 2).
    package var oid: [UInt8] {
        switch self {
        case .gostR341194: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1E, 0x01]
        case .streebog256: [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x02]
        case .streebog512: [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x03]
        }
    }
}
