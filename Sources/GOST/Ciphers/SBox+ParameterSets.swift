// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels

extension SBox {
    /// Every set that has an object identifier.
    package static let all: [SBox] = [
        gost28147Test, cryptoProA, cryptoProB, cryptoProC, cryptoProD, tc26Z, r341194Test, r341194CryptoPro,
    ]

    /// RFC 4357, 11.1: for the examples of the standard only.
    package static let gost28147Test = SBox(.test_28147)

    /// RFC 4357, 11.1.
    package static let cryptoProA = SBox(.cryptopro_a)

    /// RFC 4357, 11.1.
    package static let cryptoProB = SBox(.cryptopro_b)

    /// RFC 4357, 11.1.
    package static let cryptoProC = SBox(.cryptopro_c)

    /// RFC 4357, 11.1.
    package static let cryptoProD = SBox(.cryptopro_d)

    /// RFC 4357, 11.2: the hash function's set of RFC 5831's examples.
    package static let r341194Test = SBox(.test_341194)

    /// RFC 4357, 11.2: the hash function's set.
    package static let r341194CryptoPro = SBox(.cryptopro_341194)

    /// RFC 7836, Appendix C; also Magma's set.
    package static let tc26Z = SBox(.tc26_z)
}
