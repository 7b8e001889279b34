// SPDX-License-Identifier: Apache-2.0
import GOST

/// The hash functions of the host: those of libcrypto and those of GOST.
package enum DigestAlgorithm: Sendable, Hashable, CaseIterable {
    /// RFC 1321.
    case md5
    /// FIPS 180-4.
    case sha1, sha224, sha256, sha384, sha512
    /// GOST R 34.11-94 with the CryptoPro parameter set.
    case gostR341194
    /// GOST R 34.11-2012 with 256 and with 512 bits.
    case streebog256, streebog512

    /// The number of bytes of a digest.
    package var size: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha224: 28
        case .sha256, .gostR341194, .streebog256: 32
        case .sha384: 48
        case .sha512, .streebog512: 64
        }
    }

    /// The number of bytes to which HMAC pads its key (RFC 2104, 2).
    package var blockSize: Int {
        switch self {
        case .gostR341194: 32
        case .md5, .sha1, .sha224, .sha256, .streebog256, .streebog512: 64
        case .sha384, .sha512: 128
        }
    }

    /// The algorithm among those of `GOST`; nil for one of libcrypto's.
    var gost: HashAlgorithm? {
        switch self {
        case .gostR341194: .gostR341194
        case .streebog256: .streebog256
        case .streebog512: .streebog512
        default: nil
        }
    }

    /// The name that libcrypto knows the algorithm by; nil for one of `GOST`'s.
    var name: StaticString? {
        switch self {
        case .md5: "MD5"
        case .sha1: "SHA1"
        case .sha224: "SHA224"
        case .sha256: "SHA256"
        case .sha384: "SHA384"
        case .sha512: "SHA512"
        case .gostR341194, .streebog256, .streebog512: nil
        }
    }
}
