// SPDX-License-Identifier: Apache-2.0

/// The hash function GOST R 34.11-2012 with a hash code of 512 bits (RFC 6986).
package enum Streebog512: HashFunction {
    package static let algorithm = HashAlgorithm.streebog512
}
