// SPDX-License-Identifier: Apache-2.0
package import Secrets

/// The compression function of GOST R 34.11-2012 (RFC 6986, 8). Vectors of 512 bits are eight words, the least
/// significant first. Constant time.
enum Streebog {
    /// g_N(h, m) = E(LPS(h + N), m) + h + m, with N = `counter`.
    static func compress(_ hash: SIMD8<UInt64>, _ block: SIMD8<UInt64>, counter: UInt64) -> SIMD8<UInt64> {
        // Lane 0 is the vector that E enciphers, lane 1 the round key; first the key alone.
        var rows = Rows(repeating: SIMD2())
        for row in 0..<8 { rows[row][1] = hash[row] }
        rows[0][1] ^= counter
        lps(&rows)
        for row in 0..<8 { rows[row][0] = block[row] }

        for round in 0..<12 {
            for row in 0..<8 { rows[row] ^= SIMD2(rows[row][1], constants[round][row]) }
            lps(&rows)
        }

        var result = hash ^ block
        for row in 0..<8 { result[row] ^= rows[row][0] ^ rows[row][1] }
        return result
    }

    /// C_1…C_12 (RFC 6986, 6.5).
    static let constants: InlineArray<12, SIMD8<UInt64>> = [
        SIMD8(
            0xdd80_6559_f2a6_4507, 0x0576_7436_cc74_4d23, 0xa242_2a08_a460_d315, 0x4b7c_e091_9267_6901,
            0x714e_b88d_7585_c4fc, 0x2f6a_7643_2e45_d016, 0xebcb_2f81_c065_7c1f, 0xb108_5bda_1eca_dae9),
        SIMD8(
            0xe679_0470_21b1_9bb7, 0x55dd_a21b_d7cb_cd56, 0x5cb5_61c2_db0a_a7ca, 0x9ab5_176b_12d6_9958,
            0x61d5_5e0f_16b5_0131, 0xf3fe_ea72_0a23_2b98, 0x4fe3_9d46_0f70_b5d7, 0x6fa3_b58a_a99d_2f1a),
        SIMD8(
            0x991e_96f5_0aba_0ab2, 0xc2b6_f443_867a_db31, 0xc1c9_3a37_6062_db09, 0xd3e2_0fe4_9035_9eb1,
            0xf2ea_7514_b129_7b7b, 0x06f1_5e5f_529c_1f8b, 0x0a39_fc28_6a3d_8435, 0xf574_dcac_2bce_2fc7),
        SIMD8(
            0x220c_bebc_84e3_d12e, 0x3453_eaa1_93e8_37f1, 0xd8b7_1333_9352_03be, 0xa9d7_2c82_ed03_d675,
            0x9d72_1cad_685e_353f, 0x488e_857e_335c_3c7d, 0xf948_e1a0_5d71_e4dd, 0xef1f_dfb3_e815_66d2),
        SIMD8(
            0x6017_58fd_7c6c_fe57, 0x7a56_a27e_a9ea_63f5, 0xdfff_00b7_2327_1a16, 0xbfcd_1747_253a_f5a3,
            0x359e_35d7_800f_ffbd, 0x7f15_1c1f_1686_104a, 0x9a3f_410c_6ca9_2363, 0x4bea_6bac_ad47_4799),
        SIMD8(
            0xfa68_407a_4664_7d6e, 0xbf71_c572_3690_4f35, 0x0af2_1f66_c2be_c6b6, 0xcffa_a6b7_1c9a_b7b4,
            0x187f_9ab4_9af0_8ec6, 0x2d66_c4f9_5142_a46c, 0x6fa4_c33b_7a30_39c0, 0xae4f_aeae_1d3a_d3d9),
        SIMD8(
            0x8886_564d_3a14_d493, 0x3517_454c_a23c_4af3, 0x0647_6983_284a_0504, 0x0992_abc5_2d82_2c37,
            0xd347_3e33_197a_93c9, 0x399e_c6c7_e6bf_87c9, 0x51ac_86fe_bf24_0954, 0xf4c7_0e16_eeaa_c5ec),
        SIMD8(
            0xa47f_0dd4_bf02_e71e, 0x36ac_c235_5951_a8d9, 0x69d1_8d2b_d1a5_c42f, 0xf489_2bcb_929b_0690,
            0x89b4_443b_4ddb_c49a, 0x4eb7_f871_9c36_de1e, 0x03e7_aa02_0c6e_4141, 0x9b1f_5b42_4d93_c9a7),
        SIMD8(
            0x7261_4451_8323_5adb, 0x0e38_dc92_cb1f_2a60, 0x7b2b_8a9a_a607_9c54, 0x800a_440b_dbb2_ceb1,
            0x3cd9_55b7_e00d_0984, 0x3a7d_3a1b_2589_4224, 0x944c_9ad8_ec16_5fde, 0x378f_5a54_1631_229b),
        SIMD8(
            0x74b4_c7fb_9845_9ced, 0x3698_fad1_153b_b6c3, 0x7a1e_6c30_3b76_52f4, 0x9fe7_6702_af69_334b,
            0x1fff_e18a_1b33_6103, 0x8941_e71c_ff8a_78db, 0x382a_e548_b2e4_f3f3, 0xabbe_dea6_8005_6f52),
        SIMD8(
            0x6bca_a4cd_81f3_2d1b, 0xdea2_594a_c06f_d85d, 0xefba_cd1d_7d47_6e98, 0x8a1d_71ef_ea48_b9ca,
            0x2001_8021_1484_6679, 0xd8fa_6bbb_ebab_0761, 0x3002_c6cd_635a_fe94, 0x7bcd_9ed0_efc8_89fb),
        SIMD8(
            0x48bc_924a_f11b_d720, 0xfaf4_17d5_d9b2_1b99, 0xe71d_a4aa_88e1_2852, 0x5d80_ef9d_1891_cc86,
            0xf820_12d4_3021_9f9b, 0xcda4_3c32_bcdf_1d77, 0xd213_80b0_0449_b17a, 0x378e_e767_f116_31ba),
    ]
}

/// The hash function GOST R 34.11-2012 with a hash code of 256 bits (RFC 6986).
package struct Streebog256: HashFunction, ~Copyable {
    package static var digestSize: Int { 32 }
    package static var blockSize: Int { 64 }

    private var state: Wiped<StreebogState>

    package init() {
        state = Wiped(StreebogState(initial: 0x0101_0101_0101_0101))
    }

    private init(_ state: StreebogState) {
        self.state = Wiped(state)
    }

    package mutating func update(_ data: Span<UInt8>) {
        state.value.update(data)
    }

    package consuming func finalize() -> Secret {
        state.value.finish()
        return Secret(littleEndian: state.value.hash, 4..<8)
    }

    package borrowing func copy() -> Streebog256 {
        Streebog256(state.value)
    }
}

/// The hash function GOST R 34.11-2012 with a hash code of 512 bits (RFC 6986).
package struct Streebog512: HashFunction, ~Copyable {
    package static var digestSize: Int { 64 }
    package static var blockSize: Int { 64 }

    private var state: Wiped<StreebogState>

    package init() {
        state = Wiped(StreebogState(initial: 0))
    }

    private init(_ state: StreebogState) {
        self.state = Wiped(state)
    }

    package mutating func update(_ data: Span<UInt8>) {
        state.value.update(data)
    }

    package consuming func finalize() -> Secret {
        state.value.finish()
        return Secret(littleEndian: state.value.hash, 0..<8)
    }

    package borrowing func copy() -> Streebog512 {
        Streebog512(state.value)
    }
}
