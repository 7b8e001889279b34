// SPDX-License-Identifier: Apache-2.0
extension SBox {
    /// Every set that has an object identifier.
    package static let all: [SBox] = [
        gost28147Test, cryptoProA, cryptoProB, cryptoProC, cryptoProD, tc26Z, r341194Test, r341194CryptoPro,
    ]

    /// RFC 4357, 11.1: for the examples of the standard only.
    package static let gost28147Test = SBox(
        "id-Gost28147-89-TestParamSet",
        oid: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1F, 0x00],
        rows: [
            0x42F5_9108_E3BC_D7A6, 0xC9FE_813A_274D_60B5, 0xD8EC_739A_1524_6F0B, 0xE9B2_5F71_0DC6_A438,
            0x3E59_680D_AB7C_21F4, 0x8F6B_19C5_D37A_0E24, 0x9BC0_3675_48EF_1A2D, 0xC652_B09D_3E7A_F418,
        ])

    /// RFC 4357, 11.1.
    package static let cryptoProA = SBox(
        "id-Gost28147-89-CryptoPro-A-ParamSet",
        oid: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1F, 0x01],
        rows: [
            0x9632_8B17_A4EF_C0D5, 0x37E9_8AF0_526C_B4D1, 0xE462_B3D8_CF5A_0719, 0xE7AC_D139_02B4_F856,
            0xB519_8DF0_E423_C7A6, 0x3ADC_120B_7594_8FE6, 0x1D29_7A60_8C45_F3BE, 0xBAF5_0CE8_6239_17D4,
        ])

    /// RFC 4357, 11.1.
    package static let cryptoProB = SBox(
        "id-Gost28147-89-CryptoPro-B-ParamSet",
        oid: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1F, 0x02],
        rows: [
            0x84B1_3509_2EAC_D67F, 0x012A_4D5C_973F_B86E, 0xEC0A_92DB_758F_3614, 0x750D_B612_3ACF_4E98,
            0x27CF_95AB_140D_68E3, 0x8326_4DEB_C17F_A095, 0x52AB_91C3_74D0_6F8E, 0x04BE_8371_A296_FD5C,
        ])

    /// RFC 4357, 11.1.
    package static let cryptoProC = SBox(
        "id-Gost28147-89-CryptoPro-C-ParamSet",
        oid: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1F, 0x03],
        rows: [
            0x1BC2_9D0F_458E_A763, 0x017D_B452_8EFC_9A63, 0x8250_49FA_37CD_6E1B, 0x3601_5DA8_B297_EFC4,
            0x8DB0_4512_93CE_6FA7, 0xC9B1_8E24_7365_A0FD, 0xA968_DE20_F35B_41C7, 0x7405_A2FE_C61B_D938,
        ])

    /// RFC 4357, 11.1.
    package static let cryptoProD = SBox(
        "id-Gost28147-89-CryptoPro-D-ParamSet",
        oid: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1F, 0x04],
        rows: [
            0xFC2A_6450_79ED_1B83, 0xB634_CFE2_7D80_5A91, 0x1CB0_FE65_AD48_9372, 0x15EC_A70D_62B4_93F8,
            0x0C89_D2AB_7365_4EF1, 0x80F3_25EB_1A47_C9D6, 0x306F_1E92_D8C4_BA57, 0x1A68_FB04_C359_7D2E,
        ])

    /// RFC 4357, 11.2: the hash function's set of RFC 5831's examples.
    package static let r341194Test = SBox(
        "id-GostR3411-94-TestParamSet",
        oid: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1E, 0x00],
        rows: [
            0x4A92_D80E_6B1C_7F53, 0xEB4C_6DFA_2381_0759, 0x581D_A342_EFC7_609B, 0x7DA1_089F_E46C_B253,
            0x6C71_5FD8_4A9E_03B2, 0x4BA0_721D_3685_9CFE, 0xDB41_3F59_0AE7_682C, 0x1FD0_57A4_923E_6B8C,
        ])

    /// RFC 4357, 11.2: the hash function's set.
    package static let r341194CryptoPro = SBox(
        "id-GostR3411-94-CryptoProParamSet",
        oid: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1E, 0x01],
        rows: [
            0xA456_8137_DCE0_92BF, 0x5F40_2DB9_1763_CEA8, 0x7FCE_9410_3B52_6A8D, 0x4A7C_0F28_E165_DB93,
            0x764B_9C2A_180E_FD35, 0x7624_D9F0_A15B_8EC3, 0xDE41_705A_3C8F_629B, 0x13A9_5B4F_867E_D02C,
        ])

    /// RFC 7836, Appendix C; also Magma's set.
    package static let tc26Z = SBox(
        "id-tc26-gost-28147-param-Z",
        oid: [0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x05, 0x01, 0x01],
        rows: [
            0xC462_A5B9_E8D7_03F1, 0x6823_9A5C_1E47_BD0F, 0xB358_2FAD_E174_C960, 0xC821_D4F6_70A5_3E9B,
            0x7F5A_816D_093E_B42C, 0x5DF6_92CA_B781_43E0, 0x8E25_691C_F4B0_DA37, 0x17ED_0583_4FA6_9CB2,
        ])
}
