/* SPDX-License-Identifier: Apache-2.0 */
// Sums of products in GF(2^64) and GF(2^128) (RFC 9058, 3), by carry-less multiplication. A sum is reduced once, at its
// end.

#include "Path.h"

#include <string.h>

/// Two words, the low one first.
typedef uint64_t pair __attribute__((vector_size(16)));

#if defined(__x86_64__)
#include <immintrin.h>

#define CLMUL __attribute__((target("pclmul,ssse3")))

/// The product of word `i` of `a` and word `j` of `b`.
#define PRODUCT(a, i, b, j) ((pair)_mm_clmulepi64_si128((__m128i)(a), (__m128i)(b), (i) | (j) << 4))

/// The number whose bytes come the other way round.
CLMUL INLINE pair reversed(pair x) {
    return (pair)_mm_shuffle_epi8((__m128i)x, _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
}

static bool has_products(gost_path path) { return path == gost_path_avx2 || path == gost_path_avx512; }

#elif defined(__aarch64__)
#include <arm_neon.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>

#define CLMUL __attribute__((target("aes")))

#define PRODUCT(a, i, b, j) ((pair)vmull_p64((a)[i], (b)[j]))

CLMUL INLINE pair reversed(pair x) {
    uint8x16_t halves = vrev64q_u8((uint8x16_t)x);
    return (pair)vextq_u8(halves, halves, 8);
}

/// Not every processor of arm64 has these products.
static bool has_products(gost_path path) {
    return path == gost_path_neon && getauxval(AT_HWCAP) & HWCAP_PMULL;
}
#endif

#if defined(__x86_64__) || defined(__aarch64__)

/// Adds to a word the product of another and a polynomial of degree 7 or less, and gives what goes beyond the word.
CLMUL INLINE uint64_t add_product(uint64_t *word, uint64_t other, uint64_t polynomial) {
    pair a = {other}, b = {polynomial}, product = PRODUCT(a, 0, b, 0);
    *word ^= product[0];
    return product[1];
}

CLMUL static void sum64(uint64_t *sum, const uint8_t *data, const uint8_t *factors, size_t count) {
    pair total = {0};
    for (size_t i = 0; i < count; i++) {
        uint64_t block, factor;
        memcpy(&block, data + 8 * i, 8);
        memcpy(&factor, factors + 8 * i, 8);
        pair a = {__builtin_bswap64(block)}, b = {__builtin_bswap64(factor)};
        total ^= PRODUCT(a, 0, b, 0);
    }
    // t^64 = t^4 + t^3 + t + 1.
    uint64_t low = total[0], beyond = add_product(&low, total[1], 0x1B);
    add_product(&low, beyond, 0x1B);
    sum[0] ^= low;
}

CLMUL static void sum128(uint64_t *sum, const uint8_t *data, const uint8_t *factors, size_t count) {
    pair low = {0}, middle = {0}, high = {0};
    for (size_t i = 0; i < count; i++) {
        pair a, b;
        memcpy(&a, data + 16 * i, 16);
        memcpy(&b, factors + 16 * i, 16);
        a = reversed(a);
        b = reversed(b);
        low ^= PRODUCT(a, 0, b, 0);
        middle ^= PRODUCT(a, 1, b, 0) ^ PRODUCT(a, 0, b, 1);
        high ^= PRODUCT(a, 1, b, 1);
    }
    uint64_t words[4] = {low[0], low[1] ^ middle[0], high[0] ^ middle[1], high[1]};
    // t^128 = t^7 + t^2 + t + 1.
    uint64_t beyond = add_product(&words[1], words[3], 0x87);
    words[1] ^= add_product(&words[0], words[2], 0x87);
    add_product(&words[0], beyond, 0x87);
    sum[0] ^= words[0];
    sum[1] ^= words[1];
}

#endif

/// All ones for 1, and 0 for 0. The compiler does not know that there are two cases, and makes no branch of them.
INLINE uint64_t repeated(uint64_t bit) {
    __asm__("" : "+r"(bit));
    return -bit;
}

/// For every bit of `bits`, the highest first: doubles the sum modulo t^128 + t^7 + t^2 + t + 1, and adds the block.
INLINE void double_and_add(uint64_t sum[2], const uint64_t block[2], uint64_t bits) {
    for (int i = 63; i >= 0; i--) {
        uint64_t chosen = repeated(bits >> i & 1), reduction = 0x87 & repeated(sum[1] >> 63);
        sum[1] = (sum[1] << 1 | sum[0] >> 63) ^ (block[1] & chosen);
        sum[0] = sum[0] << 1 ^ reduction ^ (block[0] & chosen);
    }
}

INLINE uint64_t word_at(const uint8_t *from) {
    uint64_t word;
    memcpy(&word, from, 8);
    return __builtin_bswap64(word);
}

static void portable_sum64(uint64_t *sum, const uint8_t *data, const uint8_t *factors, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t block = word_at(data + 8 * i), factor = word_at(factors + 8 * i), product = 0;
        for (int bit = 63; bit >= 0; bit--)
            product = product << 1 ^ (0x1B & repeated(product >> 63)) ^ (block & repeated(factor >> bit & 1));
        sum[0] ^= product;
    }
}

static void portable_sum128(uint64_t *sum, const uint8_t *data, const uint8_t *factors, size_t count) {
    for (size_t i = 0; i < 16 * count; i += 16) {
        uint64_t block[2] = {word_at(data + i + 8), word_at(data + i)}, product[2] = {0};
        double_and_add(product, block, word_at(factors + i));
        double_and_add(product, block, word_at(factors + i + 8));
        sum[0] ^= product[0];
        sum[1] ^= product[1];
    }
}

void gost_multilinear_sum(gost_path path, uint64_t *sum, const uint8_t *data, const uint8_t *factors, size_t block_size,
                          size_t count) {
#if defined(__x86_64__) || defined(__aarch64__)
    if (has_products(path)) {
        if (block_size == 8) sum64(sum, data, factors, count);
        else sum128(sum, data, factors, count);
        return;
    }
#endif
    (void)path;
    if (block_size == 8) portable_sum64(sum, data, factors, count);
    else portable_sum128(sum, data, factors, count);
}
