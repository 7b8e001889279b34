/* SPDX-License-Identifier: Apache-2.0 */
// Chains of GOST 28147-89 and Magma with AVX2, in which each block waits for the one before: what counts is how soon a
// round is done.
//
// A row of the S-box is 64 bits, sixteen digits of four, and is shifted by four times the digit that is looked up. The
// shift of two rows is one instruction and takes one cycle; a byte permutation takes one row, and two cycles on Zen 4.
//
// A half of a block is kept in either half of a register at bits 5…36. There the rotation by eleven moves digits by
// whole bytes: digits 2m and 2m + 1 come to byte m + 2, and those that leave the half at the top to byte m − 2. The bits
// beside the half are of no account: nothing is added to the lower ones, so that they do not carry.
#ifndef GOST_CHAINS_28147_H
#define GOST_CHAINS_28147_H

#include "Modes28147.h"

#if defined(__x86_64__)

/// Where a half begins.
enum { chain_place = 5 };

/// Two numbers of 64 bits in a register.
#define PAIR(low, high) _mm_set_epi64x((long long)(high), (long long)(low))

/// Rows and keys of a chain. `low` have the rows of digits 0 and 2 and of digits 1 and 3, and put a digit into the lowest
/// byte; `high` have those of 4 and 6 and of 5 and 7, and put it into the highest. A shift by sixty leaves nothing in the
/// place of digits 1, 3, 4 and 6, so that their rows are zero for 15; `lack` is what every half lacks of them.
typedef struct {
    __m128i low[2], high[2], lack, keys[8];
} chain256;

/// A row with sixteen digits in eight bytes, the first or the last in the lowest bits.
AVX2 INLINE uint64_t pack_row256(const uint8_t *row, bool descends) {
    __m128i digits = _mm_loadu_si128((const __m128i *)row);
    if (descends) digits = _mm_shuffle_epi8(digits, PAIR(0x08090A0B0C0D0E0F, 0x0001020304050607));
    digits = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x1001));
    return (uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(digits, digits));
}

AVX2 INLINE chain256 make_chain256(const gost_28147 *cipher) {
    chain256 c;
    uint64_t packed[8];
    uint32_t lack = 0;
    for (int i = 0; i < 8; i++) {
        const uint8_t *row = cipher->rows + 16 * i;
        packed[i] = pack_row256(row, i >= 4);
        if (i == 1 || i == 3 || i == 4 || i == 6) {
            packed[i] ^= row[15] * 0x1111111111111111ULL;
            packed[i] = i < 4 ? packed[i] << 4 : packed[i] >> 4;
            lack |= (uint32_t)row[15] << (4 * i);
        }
    }
    for (int i = 0; i < 2; i++) {
        c.low[i] = PAIR(packed[i], packed[i + 2]);
        c.high[i] = PAIR(packed[i + 4], packed[i + 6]);
    }
    c.lack = _mm_set1_epi64x((long long)((uint64_t)(lack << 11 | lack >> 21) << chain_place));
    for (int i = 0; i < 8; i++) c.keys[i] = _mm_set1_epi64x((long long)((uint64_t)cipher->key[4 * i] << chain_place));
    return c;
}

/// Four times one digit in each half of a register.
AVX2 INLINE __m128i digits256(__m128i sum, int first, int second) {
    const __m128i digit = _mm_set1_epi64x(0x3C);
    __m128i shifts = PAIR(4 * first + chain_place - 2, 4 * second + chain_place - 2);
    return _mm_and_si128(_mm_srlv_epi64(sum, shifts), digit);
}

/// One round, eleven and a half to thirteen cycles on Zen 4, by which pipes the processor gives the instructions to.
AVX2 INLINE __m128i round_chain256(const chain256 *c, __m128i from, __m128i key, __m128i to) {
    const __m128i odd = _mm_set1_epi8((char)0xF0);
    // Digits 4 and 5 go to two places; the half takes some of their bits from either.
    const __m128i places = _mm_set1_epi64x((long long)0x8080800708000F07);
    __m128i x = _mm_add_epi64(from, key);
    __m128i low0 = _mm_srlv_epi64(c->low[0], digits256(x, 0, 2));
    __m128i high0 = _mm_sllv_epi64(c->high[0], digits256(x, 4, 6));
    __m128i low1 = _mm_srlv_epi64(c->low[1], digits256(x, 1, 3));
    __m128i high1 = _mm_sllv_epi64(c->high[1], digits256(x, 5, 7));
    to = _mm_xor_si128(to, c->lack);
    // Beforehand, not after the rows.
    __asm__("" : "+x"(to));
    __m128i evens = _mm_blend_epi32(low0, high0, 0xA), odds = _mm_blend_epi32(low1, high1, 0xA);
    __m128i sum = _mm_or_si128(_mm_andnot_si128(odd, evens), _mm_and_si128(odd, odds));
    return _mm_xor_si128(to, _mm_shuffle_epi8(sum, places));
}

/// Eight rounds, by K1…K8 or by K8…K1.
AVX2 INLINE void pass_chain256(const chain256 *c, bool descends, __m128i *n1, __m128i *n2) {
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; i += 2) {
        *n2 = round_chain256(c, *n1, c->keys[descends ? 7 - i : i], *n2);
        *n1 = round_chain256(c, *n2, c->keys[descends ? 6 - i : i + 1], *n1);
    }
}

/// A block as a number in either half of a register.
AVX2 INLINE __m128i load_chain256(const uint8_t *from, gost_order order) {
    return _mm_set1_epi64x((long long)load(from, order));
}

/// The halves of a block, each at its place.
AVX2 INLINE __m128i lower_chain256(__m128i number) { return _mm_slli_epi64(number, chain_place); }
AVX2 INLINE __m128i upper_chain256(__m128i number) { return _mm_srli_epi64(number, 32 - chain_place); }

/// The number that has these halves.
AVX2 INLINE __m128i join_chain256(__m128i lower, __m128i upper) {
    lower = _mm_srli_epi64(lower, chain_place);
    return _mm_blend_epi32(lower, _mm_slli_epi64(upper, 32 - chain_place), 0xA);
}

AVX2 INLINE void store_chain256(uint8_t *to, __m128i number, gost_order order) {
    store(to, (uint64_t)_mm_cvtsi128_si64(number), order);
}

/// One kind of chain, so that the loop does not ask for it.
AVX2 INLINE void link_chain256(const gost_28147 *cipher, gost_chain kind, uint8_t *feedback, const uint8_t *input,
                               uint8_t *output, size_t count) {
    chain256 c = make_chain256(cipher);
    gost_order order = cipher->order;
    __m128i state = load_chain256(feedback, order);
    __m128i n1 = lower_chain256(state), n2 = upper_chain256(state);
    for (size_t i = 0; i < count; i++) {
        __m128i text = load_chain256(input + 8 * i, order);
        __m128i lower = lower_chain256(text), upper = upper_chain256(text);
        if (kind == gost_chain_input) {
            n1 = _mm_xor_si128(n1, lower);
            n2 = _mm_xor_si128(n2, upper);
        }
        for (int pass = 0; pass < 3; pass++) pass_chain256(&c, false, &n1, &n2);
        pass_chain256(&c, true, &n1, &n2);
        __m128i last = n1;
        n1 = n2;
        n2 = last;
        if (kind == gost_chain_output) {
            n1 = _mm_xor_si128(n1, lower);
            n2 = _mm_xor_si128(n2, upper);
        }
        if (output) {
            __m128i sum = join_chain256(n1, n2);
            if (kind == gost_chain_gamma) sum = _mm_xor_si128(sum, text);
            store_chain256(output + 8 * i, sum, order);
        }
    }
    store_chain256(feedback, join_chain256(n1, n2), order);
    explicit_bzero(&c, sizeof c);
}

AVX2 static void avx2_chain(const gost_28147 *cipher, gost_chain kind, uint8_t *feedback, const uint8_t *input,
                            uint8_t *output, size_t count) {
    switch (kind) {
    case gost_chain_input: link_chain256(cipher, gost_chain_input, feedback, input, output, count); break;
    case gost_chain_output: link_chain256(cipher, gost_chain_output, feedback, input, output, count); break;
    case gost_chain_gamma: link_chain256(cipher, gost_chain_gamma, feedback, input, output, count); break;
    }
}

AVX2 static void avx2_imit(const gost_28147 *cipher, uint64_t *code, const uint8_t *input, size_t count) {
    chain256 c = make_chain256(cipher);
    __m128i state = _mm_set1_epi64x((long long)*code);
    __m128i n1 = lower_chain256(state), n2 = upper_chain256(state);
    for (size_t i = 0; i < count; i++) {
        __m128i text = load_chain256(input + 8 * i, cipher->order);
        n1 = _mm_xor_si128(n1, lower_chain256(text));
        n2 = _mm_xor_si128(n2, upper_chain256(text));
        for (int pass = 0; pass < 2; pass++) pass_chain256(&c, false, &n1, &n2);
    }
    *code = (uint64_t)_mm_cvtsi128_si64(join_chain256(n1, n2));
    explicit_bzero(&c, sizeof c);
}

#undef PAIR

#endif

#endif
