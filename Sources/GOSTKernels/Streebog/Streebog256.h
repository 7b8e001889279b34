/* SPDX-License-Identifier: Apache-2.0 */
// The compression function of GOST R 34.11-2012 (RFC 6986, 8) with AVX2.
//
// The enciphered vector and the round key go through LPS together. All bytes stand as α of them, l ‖ r, which S
// begins with; tables give products in that form.
#ifndef GOST_STREEBOG_256_H
#define GOST_STREEBOG_256_H

#include <immintrin.h>

#include "../Path.h"
#include "Products256.h"

/// A vector of 512 bits, as columns 0…3 and columns 4…7 of its rows: one half of a register has rows 0…3, the other
/// rows 4…7.
typedef struct {
    __m256i columns[2];
} vector256;

AVX2 INLINE __m256i look_up256(const uint8_t *table, __m256i x) {
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)table)), x);
}

/// The sum of logarithms modulo 15. Where one is missing the highest bit is set, for which a look-up gives zero.
AVX2 INLINE __m256i add_logarithms256(__m256i x, __m256i y) {
    __m256i sum = _mm256_adds_epu8(x, y);
    return _mm256_min_epu8(sum, _mm256_sub_epi8(sum, _mm256_set1_epi8(15)));
}

/// S but for the maps that ``gost_products`` has in it: of the left half of π the logarithm of what ν1 is to be taken
/// of, of the right half that of what σ is to be taken of.
AVX2 INLINE void substitute256(__m256i x, __m256i *left, __m256i *right) {
    const __m256i digit = _mm256_set1_epi8(0x0F);
    __m256i l = _mm256_and_si256(_mm256_srli_epi32(x, 4), digit), r = _mm256_and_si256(x, digit);
    __m256i quotient = add_logarithms256(look_up256(gost_log, l), look_up256(gost_log_inverse, r));
    // Where r = 0 the quotient is missing, and greater than any logarithm. Of a saturated sum the compiler makes no selection.
    __m256i is_quotient = _mm256_cmpgt_epi8(r, _mm256_setzero_si256());
    *left = _mm256_min_epu8(quotient, _mm256_adds_epu8(look_up256(gost_log_nu0, l), is_quotient));
    *right = add_logarithms256(look_up256(gost_log_r, r), look_up256(gost_log_phi, *left));
}

/// Adds to each column k of the product, of both vectors, the terms of one pair of rows, of what ``substitute256`` gives: in
/// either half of the register those of the row that is there. A sum begins with pair 0.
AVX2 INLINE void add_terms256(__m256i sum[8], int pair, __m256i left, __m256i right) {
#pragma clang loop unroll(full)
    for (int k = 0; k < 8; k++) {
        const __m256i *products = (const __m256i *)gost_products[pair][0][k];
        __m256i term = _mm256_shuffle_epi8(_mm256_load_si256(products), left);
        products = (const __m256i *)gost_products[pair][1][k];
        term = _mm256_xor_si256(term, _mm256_shuffle_epi8(_mm256_load_si256(products), right));
        sum[k] = pair == 0 ? term : _mm256_xor_si256(sum[k], term);
    }
}

/// Adds the halves of two columns, each of which has the terms of four rows. Pairs of octets come out, one of each
/// column: in one half for rows 0…3 of the product, in the other for rows 4…7.
AVX2 INLINE __m256i join256(__m256i even, __m256i odd) {
    __m256i low = _mm256_unpacklo_epi8(even, odd), high = _mm256_unpackhi_epi8(even, odd);
    return _mm256_xor_si256(_mm256_blend_epi32(low, high, 0xF0), _mm256_permute2x128_si256(low, high, 0x21));
}

AVX2 INLINE void lps256(vector256 *state, vector256 *key) {
    // Columns 0…3 of the state's row stand before those of the key's, and columns 4…7 likewise.
    __m256i low01 = _mm256_unpacklo_epi32(state->columns[0], key->columns[0]);
    __m256i low23 = _mm256_unpackhi_epi32(state->columns[0], key->columns[0]);
    __m256i high01 = _mm256_unpacklo_epi32(state->columns[1], key->columns[1]);
    __m256i high23 = _mm256_unpackhi_epi32(state->columns[1], key->columns[1]);
    __m256i sum[8], left[4], right[4];
    substitute256(_mm256_unpacklo_epi64(low01, high01), &left[0], &right[0]);
    substitute256(_mm256_unpackhi_epi64(low01, high01), &left[1], &right[1]);
    substitute256(_mm256_unpacklo_epi64(low23, high23), &left[2], &right[2]);
    substitute256(_mm256_unpackhi_epi64(low23, high23), &left[3], &right[3]);
    // All rows are substituted first: while one waits, the next can begin. Of the terms, the rows that are ready first are first.
#pragma clang loop unroll(full)
    for (int pair = 0; pair < 4; pair++) {
        add_terms256(sum, pair, left[pair], right[pair]);
    }
    for (int i = 0; i < 2; i++) {
        __m256i first = join256(sum[4 * i], sum[4 * i + 1]), second = join256(sum[4 * i + 2], sum[4 * i + 3]);
        state->columns[i] = _mm256_unpacklo_epi16(first, second);
        key->columns[i] = _mm256_unpackhi_epi16(first, second);
    }
}

/// α of every octet, or what undoes it, given the images of both digits.
AVX2 INLINE __m256i map256(const uint8_t images[2][16], __m256i x) {
    const __m256i digit = _mm256_set1_epi8(0x0F);
    __m256i high = _mm256_and_si256(_mm256_srli_epi32(x, 4), digit);
    return _mm256_xor_si256(look_up256(images[0], _mm256_and_si256(x, digit)), look_up256(images[1], high));
}

AVX2 INLINE vector256 load256(const void *from) {
    __m256i a = map256(gost_alpha, _mm256_loadu_si256(from));
    __m256i b = map256(gost_alpha, _mm256_loadu_si256((const __m256i *)from + 1));
    __m256 even = _mm256_castsi256_ps(_mm256_permute2x128_si256(a, b, 0x20));
    __m256 odd = _mm256_castsi256_ps(_mm256_permute2x128_si256(a, b, 0x31));
    return (vector256){{_mm256_castps_si256(_mm256_shuffle_ps(even, odd, 0x88)),
                        _mm256_castps_si256(_mm256_shuffle_ps(even, odd, 0xDD))}};
}

AVX2 INLINE void store256(void *to, vector256 x) {
    __m256i even = map256(gost_alpha_inverse, _mm256_unpacklo_epi32(x.columns[0], x.columns[1]));
    __m256i odd = map256(gost_alpha_inverse, _mm256_unpackhi_epi32(x.columns[0], x.columns[1]));
    _mm256_storeu_si256((__m256i *)to, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256((__m256i *)to + 1, _mm256_permute2x128_si256(even, odd, 0x31));
}

AVX2 INLINE vector256 sum256(vector256 a, vector256 b) {
    return (vector256){{a.columns[0] ^ b.columns[0], a.columns[1] ^ b.columns[1]}};
}

/// The constant that ``lps256`` leaves out of either vector. It is the same in both, so that their sum is right.
AVX2 INLINE vector256 left_out256(void) {
    return (vector256){{_mm256_set1_epi32((int)gost_constant[0]), _mm256_set1_epi32((int)gost_constant[1])}};
}

/// C_1…C_12, with what the keys lack.
typedef struct {
    vector256 constants[12];
} tables256;

AVX2 INLINE tables256 prepare256(const uint64_t *constants) {
    tables256 t;
    for (int round = 0; round < 12; round++) t.constants[round] = sum256(load256(constants + 8 * round), left_out256());
    return t;
}

/// g_N(h, m) = E(LPS(h + N), m) + h + m.
AVX2 INLINE vector256 compress256(const tables256 *t, vector256 hash, const void *message, uint64_t counter) {
    uint64_t number[8] = {counter};
    vector256 n = load256(number), block = load256(message), state, key;
    // First the key alone, whatever the state.
    for (int i = 0; i < 2; i++) state.columns[i] = key.columns[i] = _mm256_xor_si256(hash.columns[i], n.columns[i]);
    lps256(&state, &key);
    for (int i = 0; i < 2; i++) {
        hash.columns[i] = _mm256_xor_si256(hash.columns[i], block.columns[i]);
        state.columns[i] = _mm256_xor_si256(block.columns[i], left_out256().columns[i]);
    }
    for (int round = 0; round < 12; round++) {
        for (int i = 0; i < 2; i++) {
            state.columns[i] = _mm256_xor_si256(state.columns[i], key.columns[i]);
            key.columns[i] = _mm256_xor_si256(key.columns[i], t->constants[round].columns[i]);
        }
        lps256(&state, &key);
    }
    for (int i = 0; i < 2; i++)
        hash.columns[i] = _mm256_xor_si256(hash.columns[i], _mm256_xor_si256(state.columns[i], key.columns[i]));
    return hash;
}

#endif
