// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels

/// The parameter sets that have an object identifier. Some share their numbers and differ in the identifier alone.
extension Curve {
    /// All parameter sets.
    package static let all: [Curve] = [
        test2001, cryptoProA, cryptoProB, cryptoProC, cryptoProXchA, cryptoProXchB,
        tc26256A, tc26256B, tc26256C, tc26256D, tc26512Test, tc26512A, tc26512B, tc26512C,
    ]

    /// For the example of GOST R 34.10-2001 only (RFC 4357, 11.4).
    package static let test2001 = Curve(.test_2001)

    /// RFC 4357, 11.4.
    package static let cryptoProA = Curve(.cryptopro_a)

    /// RFC 4357, 11.4.
    package static let cryptoProB = Curve(.cryptopro_b)

    /// RFC 4357, 11.4.
    package static let cryptoProC = Curve(.cryptopro_c)

    /// For key agreement; the numbers of ``cryptoProA`` (RFC 4357, 11.4).
    package static let cryptoProXchA = Curve(.cryptopro_xch_a)

    /// For key agreement; the numbers of ``cryptoProC`` (RFC 4357, 11.4).
    package static let cryptoProXchB = Curve(.cryptopro_xch_b)

    /// RFC 7836, A.2. Cofactor 4.
    package static let tc26256A = Curve(.tc26_256_a)

    /// The numbers of ``cryptoProA`` (RFC 9215).
    package static let tc26256B = Curve(.tc26_256_b)

    /// The numbers of ``cryptoProB`` (RFC 9215).
    package static let tc26256C = Curve(.tc26_256_c)

    /// The numbers of ``cryptoProC`` (RFC 9215).
    package static let tc26256D = Curve(.tc26_256_d)

    /// For the example of GOST R 34.10-2012 only (RFC 9215, E).
    package static let tc26512Test = Curve(.tc26_512_test)

    /// RFC 7836, A.1.
    package static let tc26512A = Curve(.tc26_512_a)

    /// RFC 7836, A.1.
    package static let tc26512B = Curve(.tc26_512_b)

    /// RFC 7836, A.2. Cofactor 4.
    package static let tc26512C = Curve(.tc26_512_c)
}
