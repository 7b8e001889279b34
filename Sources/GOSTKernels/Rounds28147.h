/* SPDX-License-Identifier: Apache-2.0 */
// The rounds of GOST 28147-89 (RFC 5830, 5). Blocks stand side by side: the halves N1 of a batch in one array, the
// halves N2 in another, and a vector takes one word of every block. A row of the S-box is a table of sixteen octets in
// a register, which a byte permutation looks up without memory.
#ifndef GOST_ROUNDS_28147_H
#define GOST_ROUNDS_28147_H

#include "Path.h"

/// How many blocks a batch has.
enum { batch = 64 };

typedef struct {
    _Alignas(64) uint32_t n1[batch];
    _Alignas(64) uint32_t n2[batch];
} blocks;

/// One word of each of four blocks.
typedef uint32_t four __attribute__((vector_size(16)));

/// One word of each of eight blocks.
typedef uint32_t eight __attribute__((vector_size(32)));

/// Eight blocks, for a chain whose next block waits for this one: what counts is how soon they are done.
typedef struct {
    eight n1, n2;
} few;

/// The round keys in the order of their use.
typedef struct {
    uint32_t words[32];
} schedule;

/// The round keys of eight blocks.
typedef struct {
    eight words[32];
} schedules;

/// The rows for the low and the high digits of octets 0…3 of a word, in the place where the octet has that digit.
typedef struct {
    _Alignas(64) uint8_t low[64], high[64];
} table;

/// Enciphers the first `count` blocks of a batch.
typedef void core(const table *rows, const schedule *keys, blocks *b, size_t count);

/// The first `rounds` rounds, an even number, of the first `count` of eight blocks.
typedef void few_core(const table *rows, const schedules *keys, int rounds, few *b, size_t count);

#if defined(__x86_64__)
#include <immintrin.h>

// AVX-512: four rows fill a register of 64 octets, or two of 32, and the two high bits of an index say which of them
// its octet takes.

enum { and_or = 0xEA, sum_of_three = 0x96 }; // (a & b) | c, a ^ b ^ c

/// The substitution of every digit and the rotation by eleven.
AVX512 INLINE __m512i substitute512(__m512i x, __m512i low_rows, __m512i high_rows) {
    const __m512i digit = _mm512_set1_epi32(0x0F0F0F0F), place = _mm512_set1_epi32(0x30201000);
    __m512i low = _mm512_ternarylogic_epi32(x, digit, place, and_or);
    __m512i high = _mm512_ternarylogic_epi32(_mm512_srli_epi32(x, 4), digit, place, and_or);
    low = _mm512_permutexvar_epi8(low, low_rows);
    high = _mm512_permutexvar_epi8(high, high_rows);
    return _mm512_rol_epi32(_mm512_or_si512(low, high), 11);
}

/// Enciphers 16 blocks in each of `n` pairs of registers, which do not wait for each other.
AVX512 INLINE void rounds512(const table *rows, const schedule *keys, blocks *b, int n) {
    const __m512i low = _mm512_load_si512(rows->low), high = _mm512_load_si512(rows->high);
    __m512i n1[4], n2[4];
    for (int i = 0; i < n; i++) {
        n1[i] = _mm512_load_si512(b->n1 + 16 * i);
        n2[i] = _mm512_load_si512(b->n2 + 16 * i);
    }
    for (int round = 0; round < 32; round += 2) {
        __m512i first = _mm512_set1_epi32((int)keys->words[round]);
        __m512i second = _mm512_set1_epi32((int)keys->words[round + 1]);
        for (int i = 0; i < n; i++) {
            n2[i] = _mm512_xor_si512(n2[i], substitute512(_mm512_add_epi32(n1[i], first), low, high));
        }
        for (int i = 0; i < n; i++) {
            n1[i] = _mm512_xor_si512(n1[i], substitute512(_mm512_add_epi32(n2[i], second), low, high));
        }
    }
    for (int i = 0; i < n; i++) {
        _mm512_store_si512(b->n1 + 16 * i, n1[i]);
        _mm512_store_si512(b->n2 + 16 * i, n2[i]);
    }
}

AVX512 INLINE void encrypt512(const table *rows, const schedule *keys, blocks *b, size_t count) {
    if (count <= 16) rounds512(rows, keys, b, 1);
    else rounds512(rows, keys, b, 4);
}

/// One round, ten cycles on Zen 4: the permutation of 32 octets by two registers takes four where that of 64 takes
/// five, and two shifts, added in one instruction, take one less than a rotation.
AVX512 INLINE eight round_few512(const __m256i low[2], const __m256i high[2], eight from, eight key, eight to) {
    const __m256i digit = _mm256_set1_epi32(0x0F0F0F0F), place = _mm256_set1_epi32(0x30201000);
    __m256i x = (__m256i)(from + key);
    __m256i l = _mm256_ternarylogic_epi32(x, digit, place, and_or);
    __m256i h = _mm256_ternarylogic_epi32(_mm256_srli_epi32(x, 4), digit, place, and_or);
    l = _mm256_permutex2var_epi8(low[0], l, low[1]);
    h = _mm256_permutex2var_epi8(high[0], h, high[1]);
    __m256i sum = (__m256i)to;
    sum = _mm256_ternarylogic_epi32(sum, _mm256_slli_epi32(l, 11), _mm256_srli_epi32(l, 21), sum_of_three);
    return (eight)_mm256_ternarylogic_epi32(
        sum, _mm256_slli_epi32(h, 11), _mm256_srli_epi32(h, 21), sum_of_three);
}

AVX512 INLINE void encrypt_few512(const table *rows, const schedules *keys, int rounds, few *b, size_t count) {
    (void)count;
    const __m256i *low = (const __m256i *)rows->low, *high = (const __m256i *)rows->high;
    for (int round = 0; round < rounds; round += 2) {
        b->n2 = round_few512(low, high, b->n1, keys->words[round], b->n2);
        b->n1 = round_few512(low, high, b->n2, keys->words[round + 1], b->n1);
    }
}

// AVX2: the permutation stays within 16 octets and has one row for them all.

typedef struct {
    __m256i low[4], high[4];
} rows256;

AVX2 INLINE rows256 load_rows256(const table *rows) {
    rows256 r;
    for (int j = 0; j < 4; j++) {
        r.low[j] = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(rows->low + 16 * j)));
        r.high[j] = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(rows->high + 16 * j)));
    }
    return r;
}

/// Collects octet j of every word in the j-th quarter of each 16 octets; its own inverse.
AVX2 INLINE __m256i collect256(__m256i x) {
    return _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(
                                      _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)));
}

/// Quarter j of register i goes to quarter i of register j.
AVX2 INLINE void transpose256(__m256i x[4]) {
    __m256i a = _mm256_unpacklo_epi32(x[0], x[1]), b = _mm256_unpackhi_epi32(x[0], x[1]);
    __m256i c = _mm256_unpacklo_epi32(x[2], x[3]), d = _mm256_unpackhi_epi32(x[2], x[3]);
    x[0] = _mm256_unpacklo_epi64(a, c);
    x[1] = _mm256_unpackhi_epi64(a, c);
    x[2] = _mm256_unpacklo_epi64(b, d);
    x[3] = _mm256_unpackhi_epi64(b, d);
}

/// One round of 32 blocks: adds the key to `from`, substitutes, rotates and adds to `to`. The octets of four registers
/// are sorted, so that register j has octet j of every word, and sorted back.
AVX2 INLINE void round256(const rows256 *rows, uint32_t key, const __m256i from[4], __m256i to[4]) {
    const __m256i digit = _mm256_set1_epi8(0x0F), k = _mm256_set1_epi32((int)key);
    __m256i x[4];
    for (int i = 0; i < 4; i++) x[i] = collect256(_mm256_add_epi32(from[i], k));
    transpose256(x);
    for (int j = 0; j < 4; j++) {
        __m256i low = _mm256_and_si256(x[j], digit), high = _mm256_and_si256(_mm256_srli_epi32(x[j], 4), digit);
        x[j] = _mm256_xor_si256(_mm256_shuffle_epi8(rows->low[j], low), _mm256_shuffle_epi8(rows->high[j], high));
    }
    transpose256(x);
    for (int i = 0; i < 4; i++) {
        __m256i sum = collect256(x[i]);
        __m256i rotated = _mm256_or_si256(_mm256_slli_epi32(sum, 11), _mm256_srli_epi32(sum, 21));
        to[i] = _mm256_xor_si256(to[i], rotated);
    }
}

AVX2 INLINE void encrypt256(const table *rows, const schedule *keys, blocks *b, size_t count) {
    rows256 r = load_rows256(rows);
    for (size_t start = 0; start < count; start += 32) {
        __m256i n1[4], n2[4];
        for (int i = 0; i < 4; i++) {
            n1[i] = _mm256_load_si256((const __m256i *)(b->n1 + start + 8 * i));
            n2[i] = _mm256_load_si256((const __m256i *)(b->n2 + start + 8 * i));
        }
        for (int round = 0; round < 32; round += 2) {
            round256(&r, keys->words[round], n1, n2);
            round256(&r, keys->words[round + 1], n2, n1);
        }
        for (int i = 0; i < 4; i++) {
            _mm256_store_si256((__m256i *)(b->n1 + start + 8 * i), n1[i]);
            _mm256_store_si256((__m256i *)(b->n2 + start + 8 * i), n2[i]);
        }
    }
}

/// What four rows put for the digits of every octet, each where it is the octet's own row.
AVX2 INLINE void look_up256(const __m256i rows[4], __m256i digits, __m256i *even, __m256i *odd) {
    *even = _mm256_blend_epi16(_mm256_shuffle_epi8(rows[0], digits), _mm256_shuffle_epi8(rows[2], digits), 0xAA);
    *odd = _mm256_blend_epi16(_mm256_shuffle_epi8(rows[1], digits), _mm256_shuffle_epi8(rows[3], digits), 0xAA);
}

/// One round, fifteen cycles on Zen 4: every octet is looked up in all rows, and its own is chosen afterwards. To clear
/// all other digits beforehand instead takes six more instructions and two more cycles.
AVX2 INLINE eight round_few256(const rows256 *rows, eight from, eight key, eight to) {
    const __m256i digit = _mm256_set1_epi8(0x0F), odd = _mm256_set1_epi16((short)0xFF00);
    __m256i x = (__m256i)(from + key), low[2], high[2];
    look_up256(rows->low, _mm256_and_si256(x, digit), &low[0], &low[1]);
    look_up256(rows->high, _mm256_and_si256(_mm256_srli_epi32(x, 4), digit), &high[0], &high[1]);
    __m256i sum = _mm256_blendv_epi8(_mm256_or_si256(low[0], high[0]), _mm256_or_si256(low[1], high[1]), odd);
    return to ^ (eight)_mm256_slli_epi32(sum, 11) ^ (eight)_mm256_srli_epi32(sum, 21);
}

AVX2 INLINE void encrypt_few256(const table *rows, const schedules *keys, int rounds, few *b, size_t count) {
    (void)count;
    rows256 r = load_rows256(rows);
    for (int round = 0; round < rounds; round += 2) {
        b->n2 = round_few256(&r, b->n1, keys->words[round], b->n2);
        b->n1 = round_few256(&r, b->n2, keys->words[round + 1], b->n1);
    }
}

#elif defined(__aarch64__)
#include <arm_neon.h>

// arm64: a table instruction takes 64 octets, so that four rows stand in four registers as on AVX-512.

INLINE uint8x16x4_t load_rows_neon(const uint8_t rows[64]) {
    return (uint8x16x4_t){{vld1q_u8(rows), vld1q_u8(rows + 16), vld1q_u8(rows + 32), vld1q_u8(rows + 48)}};
}

INLINE uint32x4_t substitute_neon(uint32x4_t x, uint8x16x4_t low, uint8x16x4_t high) {
    const uint8x16_t place = vreinterpretq_u8_u32(vdupq_n_u32(0x30201000)), digit = vdupq_n_u8(0x0F);
    uint8x16_t octets = vreinterpretq_u8_u32(x);
    uint8x16_t l = vqtbl4q_u8(low, vorrq_u8(vandq_u8(octets, digit), place));
    uint8x16_t h = vqtbl4q_u8(high, vorrq_u8(vshrq_n_u8(octets, 4), place));
    uint32x4_t sum = vreinterpretq_u32_u8(vorrq_u8(l, h));
    return vsriq_n_u32(vshlq_n_u32(sum, 11), sum, 21);
}

INLINE void encrypt_neon(const table *rows, const schedule *keys, blocks *b, size_t count) {
    uint8x16x4_t low = load_rows_neon(rows->low), high = load_rows_neon(rows->high);
    for (size_t start = 0; start < count; start += 16) {
        uint32x4_t n1[4], n2[4];
        for (int i = 0; i < 4; i++) {
            n1[i] = vld1q_u32(b->n1 + start + 4 * i);
            n2[i] = vld1q_u32(b->n2 + start + 4 * i);
        }
        for (int round = 0; round < 32; round += 2) {
            uint32x4_t first = vdupq_n_u32(keys->words[round]), second = vdupq_n_u32(keys->words[round + 1]);
            for (int i = 0; i < 4; i++) n2[i] = veorq_u32(n2[i], substitute_neon(vaddq_u32(n1[i], first), low, high));
            for (int i = 0; i < 4; i++) n1[i] = veorq_u32(n1[i], substitute_neon(vaddq_u32(n2[i], second), low, high));
        }
        for (int i = 0; i < 4; i++) {
            vst1q_u32(b->n1 + start + 4 * i, n1[i]);
            vst1q_u32(b->n2 + start + 4 * i, n2[i]);
        }
    }
}

/// The rounds of the four blocks of one half.
INLINE void encrypt_half_neon(const table *rows, const schedules *keys, int rounds, few *b, int half) {
    uint8x16x4_t low = load_rows_neon(rows->low), high = load_rows_neon(rows->high);
    uint32_t *first = (uint32_t *)&b->n1 + 4 * half, *second = (uint32_t *)&b->n2 + 4 * half;
    uint32x4_t n1 = vld1q_u32(first), n2 = vld1q_u32(second);
    for (int round = 0; round < rounds; round += 2) {
        const uint32_t *key = (const uint32_t *)&keys->words[round] + 4 * half;
        n2 = veorq_u32(n2, substitute_neon(vaddq_u32(n1, vld1q_u32(key)), low, high));
        n1 = veorq_u32(n1, substitute_neon(vaddq_u32(n2, vld1q_u32(key + 8)), low, high));
    }
    vst1q_u32(first, n1);
    vst1q_u32(second, n2);
}

INLINE void encrypt_few_neon(const table *rows, const schedules *keys, int rounds, few *b, size_t count) {
    encrypt_half_neon(rows, keys, rounds, b, 0);
    if (count > 4) encrypt_half_neon(rows, keys, rounds, b, 1);
}

#endif

#endif
