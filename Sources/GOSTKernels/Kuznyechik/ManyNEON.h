/* SPDX-License-Identifier: Apache-2.0 */
// The operations on a batch of Kuznyechik on arm64: 16 blocks, a look-up in sixteen registers for S, and products of
// polynomials for L.
#ifndef GOST_KUZNYECHIK_MANY_NEON_H
#define GOST_KUZNYECHIK_MANY_NEON_H

#include "../ProductsNEON.h"
#include "../SubstitutionNEON.h"

/// One byte of each block.
typedef uint8x16_t lanes_neon;

INLINE lanes_neon load_lanes_neon(const uint8_t *from) { return vld1q_u8(from); }
INLINE void store_lanes_neon(uint8_t *to, lanes_neon x) { vst1q_u8(to, x); }
INLINE lanes_neon repeated_neon(const uint8_t *key, int i) { return vdupq_n_u8(vld1q_u8(key)[i]); }

/// Half of the bytes of both, in turns.
INLINE lanes_neon zip_low_neon(lanes_neon a, lanes_neon b) { return vzip1q_u8(a, b); }
INLINE lanes_neon zip_high_neon(lanes_neon a, lanes_neon b) { return vzip2q_u8(a, b); }

/// π, or what undoes it, and the coefficients of L.
typedef struct {
    gost_table_neon pi;
    gost_reduction_neon field;
} constants_neon;

INLINE constants_neon load_constants_neon(const uint8_t *pi) {
    return (constants_neon){gost_load_table_neon(pi), gost_kuznyechik_field_neon()};
}

INLINE void substitute_neon(const constants_neon *constants, lanes_neon x[16]) {
#define SUBSTITUTE(m) x[m] = gost_substitute_neon(&constants->pi, x[m]);
    EACH(SUBSTITUTE)
#undef SUBSTITUTE
}

/// A byte sixteen times.
#define GOST_SIXTEEN(x) {x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}

/// The byte at `place` after a step of the shift register of L (RFC 7801, 4.2), which undoes itself.
INLINE lanes_neon mixed_neon(const constants_neon *constants, const lanes_neon x[16], int place) {
    static const uint8_t coefficients[7][16] = {
        GOST_SIXTEEN(148), GOST_SIXTEEN(32),  GOST_SIXTEEN(133), GOST_SIXTEEN(16),
        GOST_SIXTEEN(194), GOST_SIXTEEN(192), GOST_SIXTEEN(251)};
    const uint8_t *factors = gost_unknown_neon(coefficients[0]);
    lanes_neon first = {0}, second = {0};
    // The step before has just made a byte of the pair that comes last.
    for (int i = 6; i >= 0; i--) {
        lanes_neon terms = i == 6 ? AFTER(place, 7) : PAIR(place, i);
        lanes_neon factor = vld1q_u8(factors + 16 * i);
        first ^= gost_multiply_low_neon(terms, factor);
        second ^= gost_multiply_high_neon(terms, factor);
    }
    lanes_neon lower = vuzp1q_u8(first, second) ^ PAIR(place, 6) ^ x[place];
    return gost_reduce_neon(&constants->field, lower, vuzp2q_u8(first, second));
}

#endif
