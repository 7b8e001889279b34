/* SPDX-License-Identifier: Apache-2.0 */
// What the kernels of GOST R 34.11-2012 (RFC 6986) for x86-64 have in common.
#ifndef GOST_STREEBOG_H
#define GOST_STREEBOG_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/// Adds a block to Σ modulo 2^512.
INLINE void gost_streebog_add(uint64_t *sum, const uint8_t *block) {
    unsigned long long carry = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t word;
        memcpy(&word, block + 8 * i, 8);
        sum[i] = __builtin_addcll(sum[i], word, carry, &carry);
    }
}

/// ``gost_streebog_compress`` and ``gost_streebog_update`` with AVX2.
void gost_streebog_avx2_compress(uint64_t *hash, const uint64_t *block, uint64_t counter, const uint64_t *constants);
void gost_streebog_avx2_update(uint64_t *hash, uint64_t *length, uint64_t *sum, const uint8_t *data, size_t count,
                               const uint64_t *constants);

#endif
