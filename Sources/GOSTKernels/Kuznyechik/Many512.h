/* SPDX-License-Identifier: Apache-2.0 */
// The operations on a batch of Kuznyechik in AVX-512: 64 blocks, a look-up in four registers for S, a product with a
// matrix of bits for each coefficient of L.
#ifndef GOST_KUZNYECHIK_MANY_512_H
#define GOST_KUZNYECHIK_MANY_512_H

#include <immintrin.h>

#include "../Path.h"

/// One byte of each block.
typedef __m512i lanes512;

AVX512 INLINE lanes512 load_lanes512(const uint8_t *from) { return _mm512_loadu_si512(from); }
AVX512 INLINE void store_lanes512(uint8_t *to, lanes512 x) { _mm512_storeu_si512(to, x); }
AVX512 INLINE lanes512 repeated512(const uint8_t *key, int i) { return _mm512_set1_epi8((char)key[i]); }

/// Half of the bytes of both, in turns.
AVX512 INLINE lanes512 zip_low512(lanes512 a, lanes512 b) { return _mm512_unpacklo_epi8(a, b); }
AVX512 INLINE lanes512 zip_high512(lanes512 a, lanes512 b) { return _mm512_unpackhi_epi8(a, b); }

/// π, or what undoes it.
typedef struct {
    __m512i quarters[4];
} constants512;

AVX512 INLINE constants512 load_constants512(const uint8_t *pi) {
    constants512 constants;
    for (int i = 0; i < 4; i++) constants.quarters[i] = _mm512_load_si512(pi + 64 * i);
    return constants;
}

AVX512 INLINE lanes512 look_up512(const constants512 *constants, lanes512 x) {
    __m512i low = _mm512_permutex2var_epi8(constants->quarters[0], x, constants->quarters[1]);
    __m512i high = _mm512_permutex2var_epi8(constants->quarters[2], x, constants->quarters[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(x), low, high);
}

AVX512 INLINE void substitute512(const constants512 *constants, lanes512 x[16]) {
#define LOOK_UP(m) x[m] = look_up512(constants, x[m]);
    EACH(LOOK_UP)
#undef LOOK_UP
}

AVX512 INLINE __m512i sum_of_three512(__m512i a, __m512i b, __m512i c) {
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

/// Multiplies every byte by a constant of GF(2^8), where t^8 + t^7 + t^6 + t + 1 = 0, that is given as a matrix of
/// bits.
AVX512 INLINE lanes512 multiply512(lanes512 x, uint64_t matrix) {
    return _mm512_gf2p8affine_epi64_epi8(x, _mm512_set1_epi64((long long)matrix), 0);
}

/// The byte at `place` after a step of the shift register of L (RFC 7801, 4.2), which undoes itself.
AVX512 INLINE lanes512 mixed512(const constants512 *constants, const lanes512 x[16], int place) {
    (void)constants;
    lanes512 by148 = multiply512(PAIR(place, 0), 0xC64A952A55AA92E3);
    lanes512 by32 = multiply512(PAIR(place, 1), 0xD868D0A04081DA6C);
    lanes512 by133 = multiply512(PAIR(place, 2), 0x77983162C48866BB);
    lanes512 by16 = multiply512(PAIR(place, 3), 0xB0D0A0408102B4D8);
    lanes512 by194 = multiply512(PAIR(place, 4), 0x5AEFDEBC78F0BB2D);
    lanes512 by192 = multiply512(PAIR(place, 5), 0xDA6EDCB870E01BED);
    lanes512 by251 = multiply512(AFTER(place, 7), 0x53F5EAD5AB57FDA9);
    lanes512 by1 = sum_of_three512(AFTER(place, 6), AFTER(place, 8), x[place]);
    return sum_of_three512(sum_of_three512(by1, by32, by133), sum_of_three512(by16, by194, by192), by251 ^ by148);
}

#endif
