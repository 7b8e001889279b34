/* SPDX-License-Identifier: Apache-2.0 */
// Texts of Kuznyechik (RFC 7801) in batches of blocks, by any path.
#ifndef GOST_KUZNYECHIK_BATCHES_H
#define GOST_KUZNYECHIK_BATCHES_H

#include "../Path.h"
#include "Few.h"

#include <string.h>

/// The blocks of the largest batch.
enum { largest = 128 };

/// A way to encipher or decipher, with its set of instructions.
typedef struct {
    gost_path path;
    bool decrypts;
    /// The blocks of a batch, and how many make it worth while.
    size_t batch, enough;
    /// Enciphers or deciphers one batch in place.
    void (*core)(const uint8_t *keys, uint8_t *blocks);
} way;

/// The ways of a path.
typedef struct {
    way encryption, decryption;
} ways;

/// Enciphers or deciphers at most a batch. There is room in `blocks` for a whole one.
static void transform_in_place(const way *way, const uint8_t *keys, uint8_t *blocks, size_t count) {
    if (count >= way->enough) way->core(keys, blocks);
    else if (way->decrypts) gost_kuznyechik_few_back(keys, blocks, blocks, count);
    else gost_kuznyechik_few(way->path, keys, blocks, blocks, count);
}

static void transform(const way *way, const uint8_t *keys, const uint8_t *input, uint8_t *output, size_t count) {
    size_t batch_size = 16 * way->batch;
    for (; count >= way->batch; count -= way->batch, input += batch_size, output += batch_size) {
        memmove(output, input, batch_size);
        way->core(keys, output);
    }
    if (count == 0) return;
    _Alignas(64) uint8_t blocks[16 * largest];
    memset(blocks, 0, batch_size);
    memcpy(blocks, input, 16 * count);
    transform_in_place(way, keys, blocks, count);
    memcpy(output, blocks, 16 * count);
    explicit_bzero(blocks, batch_size);
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
    size_t batch_size = way->batch * sizeof *gamma;
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
    explicit_bzero(gamma, batch_size);
}

#endif
