/* SPDX-License-Identifier: Apache-2.0 */
// Sums of products in GF(2^64) and GF(2^128) (RFC 9058, 3), by carry-less multiplication. A sum is reduced once, at its
// end.

#include "GOSTKernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define CLMUL __attribute__((target("pclmul,ssse3")))
#define INLINE static inline __attribute__((always_inline))

/// Adds to a word the product of another and a polynomial of degree 7 or less, and gives what goes beyond the word.
CLMUL INLINE uint64_t add_product(uint64_t *word, uint64_t other, uint64_t polynomial) {
    __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)other), _mm_cvtsi64_si128((long long)polynomial),
                                           0x00);
    *word ^= (uint64_t)_mm_cvtsi128_si64(product);
    return (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(product, product));
}

CLMUL static void sum64(uint64_t *sum, const uint8_t *data, const uint8_t *factors, size_t count) {
    __m128i total = _mm_setzero_si128();
    for (size_t i = 0; i < count; i++) {
        uint64_t block, factor;
        memcpy(&block, data + 8 * i, 8);
        memcpy(&factor, factors + 8 * i, 8);
        __m128i a = _mm_cvtsi64_si128((long long)__builtin_bswap64(block));
        __m128i b = _mm_cvtsi64_si128((long long)__builtin_bswap64(factor));
        total = _mm_xor_si128(total, _mm_clmulepi64_si128(a, b, 0x00));
    }
    uint64_t words[2];
    memcpy(words, &total, 16);
    // t^64 = t^4 + t^3 + t + 1.
    uint64_t beyond = add_product(&words[0], words[1], 0x1B);
    add_product(&words[0], beyond, 0x1B);
    sum[0] ^= words[0];
}

CLMUL static void sum128(uint64_t *sum, const uint8_t *data, const uint8_t *factors, size_t count) {
    const __m128i reversed = _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m128i low = _mm_setzero_si128(), middle = low, high = low;
    for (size_t i = 0; i < count; i++) {
        __m128i a = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(data + 16 * i)), reversed);
        __m128i b = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(factors + 16 * i)), reversed);
        low = _mm_xor_si128(low, _mm_clmulepi64_si128(a, b, 0x00));
        middle = _mm_xor_si128(middle, _mm_xor_si128(_mm_clmulepi64_si128(a, b, 0x01), _mm_clmulepi64_si128(a, b, 0x10)));
        high = _mm_xor_si128(high, _mm_clmulepi64_si128(a, b, 0x11));
    }
    low = _mm_xor_si128(low, _mm_slli_si128(middle, 8));
    high = _mm_xor_si128(high, _mm_srli_si128(middle, 8));
    uint64_t words[4];
    memcpy(words, &low, 16);
    memcpy(words + 2, &high, 16);
    // t^128 = t^7 + t^2 + t + 1.
    uint64_t beyond = add_product(&words[1], words[3], 0x87);
    words[1] ^= add_product(&words[0], words[2], 0x87);
    add_product(&words[0], beyond, 0x87);
    sum[0] ^= words[0];
    sum[1] ^= words[1];
}

bool gost_multilinear_sum(gost_path path, uint64_t *sum, const uint8_t *data, const uint8_t *factors, size_t block_size,
                          size_t count) {
    if (path != gost_path_avx2 && path != gost_path_avx512) return false;
    if (block_size == 8) sum64(sum, data, factors, count);
    else sum128(sum, data, factors, count);
    return true;
}

#else

bool gost_multilinear_sum(gost_path path, uint64_t *sum, const uint8_t *data, const uint8_t *factors, size_t block_size,
                          size_t count) {
    (void)path, (void)sum, (void)data, (void)factors, (void)block_size, (void)count;
    return false;
}

#endif
