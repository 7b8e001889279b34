// SPDX-License-Identifier: Apache-2.0

/// The hash function GOST R 34.11-94 (RFC 5831) with the S-box id-GostR3411-94-CryptoProParamSet (RFC 4357, 11.2).
///
/// The hash code of the empty message is the result of step 3 alone (981e5f3c… with this S-box), as libgcrypt and most
/// others have it; by the letter of step 2, which OpenSSL's gost engine follows, a block of zeros comes first.
package enum GOSTR341194: HashFunction {
    package static let algorithm = HashAlgorithm.gostR341194
}
