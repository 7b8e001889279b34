/* SPDX-License-Identifier: Apache-2.0 */
// The hash function of GOST R 34.11-2012 (RFC 6986) over the compression function of any path.

#include "../Path.h"

#include <string.h>

/// Adds a block to Σ modulo 2^512.
INLINE void add_block(uint64_t *sum, const uint8_t *block) {
    unsigned long long carry = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t word;
        memcpy(&word, block + 8 * i, 8);
        sum[i] = __builtin_addcll(sum[i], word, carry, &carry);
    }
}

/// The kernels of one path, over the operations of one set of instructions and with its attributes.
#define KERNELS(path, set, attributes)                                                                                 \
    attributes static void path##_compress(uint64_t *hash, const uint64_t *block, uint64_t counter,                    \
                                           const uint64_t *constants) {                                                \
        tables##set t = prepare##set(constants);                                                                       \
        store##set(hash, compress##set(&t, load##set(hash), block, counter));                                          \
    }                                                                                                                  \
    attributes static void path##_update(uint64_t *hash, uint64_t *length, uint64_t *sum, const uint8_t *data,         \
                                         size_t count, const uint64_t *constants) {                                    \
        tables##set t = prepare##set(constants);                                                                       \
        vector##set h = load##set(hash);                                                                               \
        for (size_t i = 0; i < count; i++, data += 64) {                                                               \
            h = compress##set(&t, h, data, *length);                                                                   \
            *length += 512;                                                                                            \
            add_block(sum, data);                                                                                      \
        }                                                                                                              \
        store##set(hash, h);                                                                                           \
    }

#include "StreebogPortable.h"
KERNELS(portable, _portable, )
#if defined(__x86_64__)
#include "Streebog256.h"
#include "Streebog512.h"
KERNELS(avx2, 256, AVX2)
KERNELS(avx512, 512, AVX512)
#elif defined(__aarch64__)
#include "StreebogNEON.h"
KERNELS(neon, _neon, )
#endif

void gost_streebog_compress(gost_path path, uint64_t *hash, const uint64_t *block, uint64_t counter,
                            const uint64_t *constants) {
    DISPATCH(path, compress, hash, block, counter, constants)
}

void gost_streebog_update(gost_path path, uint64_t *hash, uint64_t *length, uint64_t *sum, const uint8_t *data,
                          size_t count, const uint64_t *constants) {
    DISPATCH(path, update, hash, length, sum, data, count, constants)
}
