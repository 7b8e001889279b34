/* SPDX-License-Identifier: Apache-2.0 */
// Shared by the comparisons of kernels: random numbers, and memory whose surroundings are watched.
#ifndef KERNELS_H
#define KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "GOSTKernels.h"

enum { most_blocks = 200, longest = 16 * most_blocks };

/// The path in whose kernels faults are looked for.
extern gost_path path;

/// Random numbers, the same after the same seed.
uint64_t random_number(void);
void random_bytes(void *to, size_t size);

/// Numbers of blocks around the bounds of batches, then random ones.
size_t some_count(int round);

/// The places that a kernel reads and writes: at the beginning or the end of memory that pages without access surround,
/// or anywhere in it. In half of the cases input and output are the same.
struct text {
    uint8_t *input, *output;
    size_t size;
};

/// A text of random bytes, which also come into `copy`.
struct text make_text(uint8_t *copy, size_t size);

/// Fails unless the output is what is expected, and all around it, and the input, are as they were.
void compare(const struct text *text, const uint8_t *expected, const char *what);

/// Fails unless both are the same.
void compare_bytes(const void *result, const void *expected, size_t size, const char *what);

/// As many comparisons of ciphers and of hash functions as there are rounds.
void compare_28147(int round);
void compare_kuznyechik(int round);
void compare_hashes(int round);

#endif
