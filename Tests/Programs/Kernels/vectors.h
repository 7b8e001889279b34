/* SPDX-License-Identifier: Apache-2.0 */
// The arrays that vectors.py prints.
#ifndef VECTORS_H
#define VECTORS_H

#include <stddef.h>
#include <stdint.h>

/// A published value. The rows of the S-box are 128 digits.
struct vector {
    const char *name;
    enum { kuznyechik, magma, gost28147, gostr341194, streebog256, streebog512 } kind;
    const char *rows;
    const uint8_t *key;
    size_t key_size;
    const uint8_t *input;
    size_t size;
    const uint8_t *result;
    size_t result_size;
};

/// The last one has no name.
extern const struct vector vectors[];

/// C_1…C_12 of eight words each, the least significant first.
extern const uint64_t streebog_constants[96];

#endif
