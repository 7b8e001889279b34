/* SPDX-License-Identifier: Apache-2.0 */
// The compression function of GOST R 34.11-2012 (RFC 6986, 8) for any processor.
//
// The state and the round key go through LPS side by side, one in each lane. L multiplies by a matrix over GF(2^8), where
// t^8 + t^4 + t^3 + t^2 + 1 = 0: every byte of row j is multiplied by the same element, so that P and L are one step.
#ifndef GOST_STREEBOG_PORTABLE_H
#define GOST_STREEBOG_PORTABLE_H

#include <string.h>

#include "../Planes.h"

/// A vector of 512 bits.
typedef struct {
    uint64_t words[8];
} vector_portable;

typedef struct {
    const uint64_t *constants;
} tables_portable;

INLINE tables_portable prepare_portable(const uint64_t *constants) { return (tables_portable){constants}; }

INLINE vector_portable load_portable(const void *from) {
    vector_portable x;
    memcpy(&x, from, sizeof x);
    return x;
}

INLINE void store_portable(uint64_t *to, vector_portable x) { memcpy(to, &x, sizeof x); }

/// All sums of four rows; bit j of the index stands for row j.
INLINE void make_sums(plane sums[16], const plane rows[4]) {
    sums[0] = (plane){0};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 1 << i; j++) sums[j | 1 << i] = sums[j] ^ rows[i];
    }
}

/// Multiplies the vector of eight rows by the matrix of L.
INLINE void multiply(planes *x) {
    // Of each row of the product, for each bit of the elements, the highest first: the rows whose element has that bit.
    static const uint8_t choices[8][8] = {
        {0x49, 0xA0, 0x94, 0x3A, 0x5E, 0xC8, 0x49, 0x01}, {0xFB, 0x17, 0x0D, 0x46, 0x6A, 0x86, 0x84, 0xB4},
        {0x73, 0x82, 0x06, 0x1E, 0x21, 0x83, 0xF5, 0x52}, {0x96, 0x00, 0xB1, 0xFA, 0x5F, 0x02, 0xF7, 0x01},
        {0x34, 0x0F, 0x28, 0x04, 0x37, 0x9A, 0x83, 0xEF}, {0xAC, 0x12, 0x11, 0x21, 0xE8, 0x7E, 0xC6, 0xD3},
        {0x62, 0xA4, 0x54, 0x45, 0x27, 0xED, 0xCA, 0x96}, {0xA6, 0x4D, 0x27, 0x0C, 0x2C, 0x63, 0xD8, 0x9C},
    };
    plane low[16], high[16];
    make_sums(low, x->rows);
    make_sums(high, x->rows + 4);
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; i++) {
        plane product = {0};
#pragma clang loop unroll(full)
        for (int bit = 0; bit < 8; bit++)
            product = times_t(product, 0x1D) ^ low[choices[i][bit] & 0xF] ^ high[choices[i][bit] >> 4];
        x->rows[i] = product;
    }
}

INLINE void lps_portable(planes *x) {
    transpose_bits(x);
    *x = substitute(*x);
    transpose_bits(x);
    multiply(x);
    transpose_bytes(x);
}

/// g_N(h, m) = E(LPS(h + N), m) + h + m.
INLINE vector_portable compress_portable(
    const tables_portable *t, vector_portable hash, const void *message, uint64_t counter) {
    vector_portable block = load_portable(message);
    planes x;
    // First the key alone.
    for (int i = 0; i < 8; i++) x.rows[i] = (plane){0, hash.words[i]};
    x.rows[0][1] ^= counter;
    lps_portable(&x);
    for (int i = 0; i < 8; i++) x.rows[i][0] = block.words[i];
    for (int round = 0; round < 12; round++) {
        for (int i = 0; i < 8; i++) x.rows[i] ^= (plane){x.rows[i][1], t->constants[8 * round + i]};
        lps_portable(&x);
    }
    for (int i = 0; i < 8; i++) hash.words[i] ^= block.words[i] ^ x.rows[i][0] ^ x.rows[i][1];
    explicit_bzero(&x, sizeof x);
    return hash;
}

#endif
