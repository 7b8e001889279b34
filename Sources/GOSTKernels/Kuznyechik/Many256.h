/* SPDX-License-Identifier: Apache-2.0 */
// The operations on a batch of Kuznyechik in AVX2: 32 blocks in sixteen registers, a part of which is in memory.
#ifndef GOST_KUZNYECHIK_MANY_256_H
#define GOST_KUZNYECHIK_MANY_256_H

#include "../Path.h"
#include "../Substitution256.h"

/// One byte of each block.
typedef __m256i lanes256;

AVX2 INLINE lanes256 load_lanes256(const uint8_t *from) { return _mm256_loadu_si256((const __m256i *)from); }
AVX2 INLINE void store_lanes256(uint8_t *to, lanes256 x) { _mm256_storeu_si256((__m256i *)to, x); }
AVX2 INLINE lanes256 repeated256(const uint8_t *key, int i) { return _mm256_set1_epi8((char)key[i]); }

/// Half of the bytes of both, in turns.
AVX2 INLINE lanes256 zip_low256(lanes256 a, lanes256 b) { return _mm256_unpacklo_epi8(a, b); }
AVX2 INLINE lanes256 zip_high256(lanes256 a, lanes256 b) { return _mm256_unpackhi_epi8(a, b); }

/// π needs no table of 256 bytes, and has no inverse here.
typedef struct {
    char none;
} constants256;

AVX2 INLINE constants256 load_constants256(const uint8_t *pi) {
    (void)pi;
    return (constants256){0};
}

AVX2 INLINE void substitute256(const constants256 *constants, lanes256 x[16]) {
    (void)constants;
#define SUBSTITUTE(m) x[m] = gost_substitute256(x[m]);
    EACH(SUBSTITUTE)
#undef SUBSTITUTE
}

/// Multiplies every byte by t in GF(2^8), where t^8 + t^7 + t^6 + t + 1 = 0.
AVX2 INLINE lanes256 times_t256(lanes256 x) {
    lanes256 carries = _mm256_cmpgt_epi8(_mm256_setzero_si256(), x);
    return _mm256_xor_si256(_mm256_add_epi8(x, x), _mm256_and_si256(carries, _mm256_set1_epi8((char)0xC3)));
}

/// Multiplies every byte by 148, the lower and the upper digit by a look-up each.
AVX2 INLINE lanes256 times_148_256(lanes256 x) {
    static const gost_table low = GOST_TWICE(
        0x00, 0x94, 0xEB, 0x7F, 0x15, 0x81, 0xFE, 0x6A, 0x2A, 0xBE, 0xC1, 0x55, 0x3F, 0xAB, 0xD4, 0x40);
    static const gost_table high = GOST_TWICE(
        0x00, 0x54, 0xA8, 0xFC, 0x93, 0xC7, 0x3B, 0x6F, 0xE5, 0xB1, 0x4D, 0x19, 0x76, 0x22, 0xDE, 0x8A);
    const lanes256 digit = _mm256_set1_epi8(0x0F);
    return gost_look_up256(&low, x & digit) ^ gost_look_up256(&high, _mm256_srli_epi32(x, 4) & digit);
}

/// The byte at `place` after a step of the shift register of L (RFC 7801, 4.2), which undoes itself: by the bits of the
/// coefficients 32, 133, 16, 194, 192, 1, 251, …, the highest first. The step before has just made a byte that is to be
/// multiplied by 148, which therefore comes last and takes the shorter way.
AVX2 INLINE lanes256 mixed256(const constants256 *constants, const lanes256 x[16], int place) {
    (void)constants;
    lanes256 by133 = PAIR(place, 2), by194 = PAIR(place, 4), by251 = AFTER(place, 7);
    lanes256 high = by194 ^ PAIR(place, 5) ^ by251;
    lanes256 sum = times_t256(by133 ^ high) ^ high;
    sum = times_t256(sum) ^ PAIR(place, 1) ^ by251;
    sum = times_t256(sum) ^ PAIR(place, 3) ^ by251;
    sum = times_t256(sum) ^ by251;
    sum = times_t256(sum) ^ by133;
    sum = times_t256(sum) ^ by194 ^ by251;
    sum = times_t256(sum) ^ by133 ^ PAIR(place, 6) ^ by251 ^ x[place];
    return sum ^ times_148_256(PAIR(place, 0));
}

#endif
