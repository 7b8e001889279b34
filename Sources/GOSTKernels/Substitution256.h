/* SPDX-License-Identifier: Apache-2.0 */
// The substitution π in AVX2, 32 octets at once, by tables of sixteen octets.
//
// The decomposition is that of Biryukov, Perrin and Udovenko ("Reverse-Engineering the S-Box of Streebog, Kuznyechik and
// STRIBOBr1", EUROCRYPT 2016), as in the portable code: between the linear maps α and ω, two halves l ‖ r of four bits
// become
//
//     l = ν0(l) where r = 0, else ν1(l · r⁻¹)
//     r = σ(r · φ(l))
//
// Products in GF(2^4) are sums of logarithms. The constants ν1(0) = 7 and σ(0) are added at the end.
#ifndef GOST_SUBSTITUTION256_H
#define GOST_SUBSTITUTION256_H

#include <immintrin.h>
#include <stdint.h>

/// A table of sixteen octets, once for each half of a register.
typedef struct {
    _Alignas(32) uint8_t octets[32];
} gost_table;

#define GOST_TWICE(...) {{__VA_ARGS__, __VA_ARGS__}}

/// The share of the low and of the high digit of x in l, and in r.
static const gost_table gost_l_low = GOST_TWICE(
    0x00, 0x07, 0x03, 0x04, 0x01, 0x06, 0x02, 0x05, 0x09, 0x0E, 0x0A, 0x0D, 0x08, 0x0F, 0x0B, 0x0C);
static const gost_table gost_l_high = GOST_TWICE(
    0x00, 0x00, 0x01, 0x01, 0x07, 0x07, 0x06, 0x06, 0x01, 0x01, 0x00, 0x00, 0x06, 0x06, 0x07, 0x07);
static const gost_table gost_r_low = GOST_TWICE(
    0x00, 0x00, 0x0A, 0x0A, 0x04, 0x04, 0x0E, 0x0E, 0x0A, 0x0A, 0x00, 0x00, 0x0E, 0x0E, 0x04, 0x04);
static const gost_table gost_r_high = GOST_TWICE(
    0x00, 0x02, 0x01, 0x03, 0x04, 0x06, 0x05, 0x07, 0x08, 0x0A, 0x09, 0x0B, 0x0C, 0x0E, 0x0D, 0x0F);
/// Logarithms of x, of 1/x and of φ(x + 7), to the base t; 0xF0 for zero.
static const gost_table gost_log = GOST_TWICE(
    0xF0, 0x00, 0x01, 0x0C, 0x02, 0x09, 0x0D, 0x07, 0x03, 0x04, 0x0A, 0x05, 0x0E, 0x0B, 0x08, 0x06);
static const gost_table gost_log_inverse = GOST_TWICE(
    0xF0, 0x00, 0x0E, 0x03, 0x0D, 0x06, 0x02, 0x08, 0x0C, 0x0B, 0x05, 0x0A, 0x01, 0x04, 0x07, 0x09);
static const gost_table gost_log_phi = GOST_TWICE(
    0x0E, 0x00, 0x02, 0x0E, 0x03, 0x05, 0x01, 0x05, 0x05, 0x0D, 0x0C, 0x08, 0x03, 0x09, 0x0C, 0x0D);
/// ν0(x) + 7.
static const gost_table gost_nu0 = GOST_TWICE(
    0x05, 0x02, 0x04, 0x0C, 0x01, 0x0E, 0x09, 0x0D, 0x07, 0x03, 0x08, 0x06, 0x0F, 0x0A, 0x0B, 0x00);
/// ν1(x) + 7 and σ(x) + σ(0) for the logarithm of x.
static const gost_table gost_nu1 = GOST_TWICE(
    0x01, 0x0B, 0x07, 0x03, 0x02, 0x09, 0x0D, 0x06, 0x04, 0x08, 0x0C, 0x05, 0x0E, 0x0F, 0x0A, 0x00);
static const gost_table gost_sigma = GOST_TWICE(
    0x01, 0x0C, 0x04, 0x0F, 0x05, 0x0E, 0x0B, 0x02, 0x0A, 0x07, 0x09, 0x0D, 0x08, 0x06, 0x03, 0x00);
/// The share in ω of l, given as l + 7, and of r, given as r + σ(0).
static const gost_table gost_from_left = GOST_TWICE(
    0xE8, 0xF8, 0xC8, 0xD8, 0xEC, 0xFC, 0xCC, 0xDC, 0xFA, 0xEA, 0xDA, 0xCA, 0xFE, 0xEE, 0xDE, 0xCE);
static const gost_table gost_from_right = GOST_TWICE(
    0x00, 0x01, 0x92, 0x93, 0x44, 0x45, 0xD6, 0xD7, 0x98, 0x99, 0x0A, 0x0B, 0xDC, 0xDD, 0x4E, 0x4F);

__attribute__((target("avx2"), always_inline)) static inline __m256i gost_look_up256(gost_table const *table, __m256i x) {
    return _mm256_shuffle_epi8(_mm256_load_si256((const __m256i *)table->octets), x);
}

/// The sum of logarithms modulo 15. Where one is missing the highest bit is set, for which a look-up gives zero.
__attribute__((target("avx2"), always_inline)) static inline __m256i gost_add_logarithms256(__m256i x, __m256i y) {
    __m256i sum = _mm256_adds_epu8(x, y);
    return _mm256_min_epu8(sum, _mm256_sub_epi8(sum, _mm256_set1_epi8(15)));
}

/// π of every octet but for ω: its left half as l + 7, its right half as r + σ(0).
__attribute__((target("avx2"), always_inline)) static inline void gost_halves256(__m256i x, __m256i *left,
                                                                                 __m256i *right) {
    const __m256i digit = _mm256_set1_epi8(0x0F);
    __m256i low = _mm256_and_si256(x, digit), high = _mm256_and_si256(_mm256_srli_epi32(x, 4), digit);
    __m256i l = _mm256_xor_si256(gost_look_up256(&gost_l_low, low), gost_look_up256(&gost_l_high, high));
    __m256i r = _mm256_xor_si256(gost_look_up256(&gost_r_low, low), gost_look_up256(&gost_r_high, high));

    __m256i quotient = gost_add_logarithms256(gost_look_up256(&gost_log, l), gost_look_up256(&gost_log_inverse, r));
    __m256i no_quotient = _mm256_cmpeq_epi8(r, _mm256_setzero_si256());
    *left = _mm256_xor_si256(gost_look_up256(&gost_nu1, quotient),
                             _mm256_and_si256(no_quotient, gost_look_up256(&gost_nu0, l)));

    __m256i product = gost_add_logarithms256(gost_look_up256(&gost_log, r), gost_look_up256(&gost_log_phi, *left));
    *right = gost_look_up256(&gost_sigma, product);
}

/// π of every octet.
__attribute__((target("avx2"), always_inline, unused)) static inline __m256i gost_substitute256(__m256i x) {
    __m256i left, right;
    gost_halves256(x, &left, &right);
    return _mm256_xor_si256(gost_look_up256(&gost_from_left, left), gost_look_up256(&gost_from_right, right));
}

#endif
