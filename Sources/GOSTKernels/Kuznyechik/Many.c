/* SPDX-License-Identifier: Apache-2.0 */
// Kuznyechik (RFC 7801), many blocks at once: byte m of every block is in register m.

#include "../Path.h"
#include "../Substitution.h"
#include "Few.h"

#include <string.h>

/// The blocks of the largest batch.
enum { largest = 64 };

/// From how many blocks on a batch takes less time than block after block, though it is not full.
enum { enough = 9 };

/// Writes `body` for every byte of a block. The indices have to be constants for the registers to be registers.
#define EACH(body)                                                                                                     \
    body(0) body(1) body(2) body(3) body(4) body(5) body(6) body(7)                                                    \
    body(8) body(9) body(10) body(11) body(12) body(13) body(14) body(15)

#define EACH_BACK(body)                                                                                                \
    body(15) body(14) body(13) body(12) body(11) body(10) body(9) body(8)                                              \
    body(7) body(6) body(5) body(4) body(3) body(2) body(1) body(0)

/// The byte `i` places after the one at `place` of the shift register of L, which is a ring, and its sum with the one
/// that has the same coefficient.
#define AFTER(place, i) x[((place) + 1 + (i)) & 15]
#define PAIR(place, i) (AFTER(place, i) ^ AFTER(place, 14 - (i)))

/// A way to encipher or decipher, with its set of instructions.
typedef struct {
    gost_path path;
    /// The blocks of a batch, and how many make it worth while.
    size_t batch, enough;
    /// Enciphers or deciphers one batch in place. NULL where there is no such way.
    void (*core)(const uint8_t *keys, uint8_t *blocks);
} way;

/// The kernels of a path.
typedef struct {
    way encryption, decryption;
    void (*ctr)(const uint8_t *keys, gost_counter *counter, const uint8_t *input, uint8_t *output, size_t count);
} kernels;

/// Enciphers or deciphers at most a batch. There is room in `blocks` for a whole one.
static void transform_in_place(const way *way, const uint8_t *keys, uint8_t *blocks, size_t count) {
    if (count >= way->enough) way->core(keys, blocks);
    else gost_kuznyechik_few(way->path, keys, blocks, blocks, count);
}

static bool transform(const way *way, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count) {
    if (!way->core) return false;
    size_t batch_size = 16 * way->batch;
    for (; count >= way->batch; count -= way->batch, input += batch_size, output += batch_size) {
        memmove(output, input, batch_size);
        way->core(keys, output);
    }
    if (count == 0) return true;
    _Alignas(64) uint8_t blocks[16 * largest] = {0};
    memcpy(blocks, input, 16 * count);
    transform_in_place(way, keys, blocks, count);
    memcpy(output, blocks, 16 * count);
    explicit_bzero(blocks, sizeof blocks);
    return true;
}

/// The counter after `n` more, `n` less than 2^63. A carry is added, not asked for.
INLINE gost_counter advanced(gost_counter counter, uint64_t n) {
    uint64_t left_counts = -(uint64_t)(counter.part == gost_part_left);
    uint64_t carries = counter.part == gost_part_whole;
    uint64_t right = counter.right + (n & ~left_counts);
    uint64_t left = counter.left + (n & left_counts) + ((counter.right & ~right) >> 63 & carries);
    return (gost_counter){left, right, counter.part};
}

/// A block, as text and gamma are added.
typedef uint64_t words __attribute__((vector_size(16)));

/// Counter mode. Compiled into functions of each set, for the counters and the sums to use its instructions. Counters are
/// stored as words, as memcpy(3) to a place that changes would be a call for each block (_FORTIFY_SOURCE).
INLINE void add_gamma(const way *way, const uint8_t *keys, gost_counter *counter, const uint8_t *input,
                      uint8_t *output, size_t count) {
    _Alignas(64) words gamma[largest];
    while (count > 0) {
        size_t n = count < way->batch ? count : way->batch;
        for (size_t i = 0; i < way->batch; i++) {
            gost_counter c = advanced(*counter, i);
            gamma[i] = (words){__builtin_bswap64(c.left), __builtin_bswap64(c.right)};
        }
        transform_in_place(way, keys, (uint8_t *)gamma, n);
        for (size_t i = 0; i < n; i++) {
            words text;
            memcpy(&text, input + 16 * i, 16);
            text ^= gamma[i];
            memcpy(output + 16 * i, &text, 16);
        }
        *counter = advanced(*counter, n);
        count -= n, input += 16 * n, output += 16 * n;
    }
    explicit_bzero(gamma, sizeof gamma);
}

#if defined(__x86_64__)
#include "Many256.h"
#include "Many512.h"

#define SET(name) name##256
#define SET_PATH gost_path_avx2
#define TARGET AVX2
#include "Many.h"

#define SET(name) name##512
#define SET_PATH gost_path_avx512
#define TARGET AVX512
#define HAS_INVERSE
#include "Many.h"

#elif defined(__aarch64__)
#include "ManyNEON.h"

#define SET(name) name##_neon
#define SET_PATH gost_path_neon
#define TARGET
#define HAS_INVERSE
#include "Many.h"
#endif

static const kernels *kernels_of(gost_path path) {
    static const kernels none;
    switch (path) {
#if defined(__x86_64__)
    case gost_path_avx2: return &kernels256;
    case gost_path_avx512: return &kernels512;
#elif defined(__aarch64__)
    case gost_path_neon: return &kernels_neon;
#endif
    default: return &none;
    }
}

bool gost_kuznyechik_encrypt(gost_path path, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count) {
    return transform(&kernels_of(path)->encryption, keys, input, output, count);
}

bool gost_kuznyechik_decrypt(gost_path path, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count) {
    return transform(&kernels_of(path)->decryption, keys, input, output, count);
}

bool gost_kuznyechik_ctr(gost_path path, const uint8_t *keys, gost_counter *counter, const uint8_t *input,
                         uint8_t *output, size_t count) {
    const kernels *kernels = kernels_of(path);
    if (kernels->ctr) kernels->ctr(keys, counter, input, output, count);
    return kernels->ctr;
}
