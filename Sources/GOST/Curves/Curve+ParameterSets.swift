// SPDX-License-Identifier: Apache-2.0

/// The parameter sets that have an object identifier. Some share their numbers and differ in the identifier alone.
extension Curve {
    /// All parameter sets.
    package static let all: [Curve] = [
        test2001, cryptoProA, cryptoProB, cryptoProC, cryptoProXchA, cryptoProXchB,
        tc26256A, tc26256B, tc26256C, tc26256D, tc26512Test, tc26512A, tc26512B, tc26512C,
    ]

    /// For the example of GOST R 34.10-2001 only (RFC 4357, 11.4).
    package static let test2001 = Curve(
        "id-GostR3410-2001-TestParamSet",
        oid: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x00],
        .test2001)

    /// RFC 4357, 11.4.
    package static let cryptoProA = Curve(
        "id-GostR3410-2001-CryptoPro-A-ParamSet",
        oid: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x01],
        .cryptoProA)

    /// RFC 4357, 11.4.
    package static let cryptoProB = Curve(
        "id-GostR3410-2001-CryptoPro-B-ParamSet",
        oid: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x02],
        .cryptoProB)

    /// RFC 4357, 11.4.
    package static let cryptoProC = Curve(
        "id-GostR3410-2001-CryptoPro-C-ParamSet",
        oid: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x03],
        .cryptoProC)

    /// For key agreement; the numbers of ``cryptoProA`` (RFC 4357, 11.4).
    package static let cryptoProXchA = Curve(
        "id-GostR3410-2001-CryptoPro-XchA-ParamSet",
        oid: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x24, 0x00],
        .cryptoProA)

    /// For key agreement; the numbers of ``cryptoProC`` (RFC 4357, 11.4).
    package static let cryptoProXchB = Curve(
        "id-GostR3410-2001-CryptoPro-XchB-ParamSet",
        oid: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x24, 0x01],
        .cryptoProC)

    /// RFC 7836, A.2. Cofactor 4.
    package static let tc26256A = Curve(
        "id-tc26-gost-3410-2012-256-paramSetA",
        oid: [0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x01, 0x01],
        .tc26256A)

    /// The numbers of ``cryptoProA`` (RFC 9215).
    package static let tc26256B = Curve(
        "id-tc26-gost-3410-2012-256-paramSetB",
        oid: [0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x01, 0x02],
        .cryptoProA)

    /// The numbers of ``cryptoProB`` (RFC 9215).
    package static let tc26256C = Curve(
        "id-tc26-gost-3410-2012-256-paramSetC",
        oid: [0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x01, 0x03],
        .cryptoProB)

    /// The numbers of ``cryptoProC`` (RFC 9215).
    package static let tc26256D = Curve(
        "id-tc26-gost-3410-2012-256-paramSetD",
        oid: [0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x01, 0x04],
        .cryptoProC)

    /// For the example of GOST R 34.10-2012 only (RFC 9215, E).
    package static let tc26512Test = Curve(
        "id-tc26-gost-3410-2012-512-paramSetTest",
        oid: [0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x02, 0x00],
        .tc26512Test)

    /// RFC 7836, A.1.
    package static let tc26512A = Curve(
        "id-tc26-gost-3410-2012-512-paramSetA",
        oid: [0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x02, 0x01],
        .tc26512A)

    /// RFC 7836, A.1.
    package static let tc26512B = Curve(
        "id-tc26-gost-3410-2012-512-paramSetB",
        oid: [0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x02, 0x02],
        .tc26512B)

    /// RFC 7836, A.2. Cofactor 4.
    package static let tc26512C = Curve(
        "id-tc26-gost-3410-2012-512-paramSetC",
        oid: [0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x02, 0x03],
        .tc26512C)
}
