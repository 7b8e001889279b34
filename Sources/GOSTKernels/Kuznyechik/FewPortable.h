/* SPDX-License-Identifier: Apache-2.0 */
// Kuznyechik (RFC 7801) on up to eight blocks side by side, for any processor.
#ifndef GOST_KUZNYECHIK_FEW_PORTABLE_H
#define GOST_KUZNYECHIK_FEW_PORTABLE_H

#include <string.h>

#include "../Planes.h"

/// A block in each row.
enum { few_blocks = 8 };

/// The matrix of L (RFC 7801, 4.2): what each bit of a block adds, bit 0 of byte 0 first.
typedef struct {
    plane columns[128];
} matrix;

INLINE void make_matrix(matrix *l) {
    // What each byte adds, where it is 1.
    _Alignas(16) static const uint8_t columns[16][16] = {
        {0xCF, 0x6E, 0xA2, 0x76, 0x72, 0x6C, 0x48, 0x7A, 0xB8, 0x5D, 0x27, 0xBD, 0x10, 0xDD, 0x84, 0x94},
            {0x98, 0x20, 0xC8, 0x33, 0xF2, 0x76, 0xD5, 0xE6, 0x49, 0xD4, 0x9F, 0x95, 0xE9, 0x99, 0x2D, 0x20},
            {0x74, 0xC6, 0x87, 0x10, 0x6B, 0xEC, 0x62, 0x4E, 0x87, 0xB8, 0xBE, 0x5E, 0xD0, 0x75, 0x74, 0x85},
            {0xBF, 0xDA, 0x70, 0x0C, 0xCA, 0x0C, 0x17, 0x1A, 0x14, 0x2F, 0x68, 0x30, 0xD9, 0xCA, 0x96, 0x10},
            {0x93, 0x90, 0x68, 0x1C, 0x20, 0xC5, 0x06, 0xBB, 0xCB, 0x8D, 0x1A, 0xE9, 0xF3, 0x97, 0x5D, 0xC2},
            {0x8E, 0x48, 0x43, 0x11, 0xEB, 0xBC, 0x2D, 0x2E, 0x8D, 0x12, 0x7C, 0x60, 0x94, 0x44, 0x77, 0xC0},
            {0xF2, 0x89, 0x1C, 0xD6, 0x02, 0xAF, 0xC4, 0xF1, 0xAB, 0xEE, 0xAD, 0xBF, 0x3D, 0x5A, 0x6F, 0x01},
            {0xF3, 0x9C, 0x2B, 0x6A, 0xA4, 0x6E, 0xE7, 0xBE, 0x49, 0xF6, 0xC9, 0x10, 0xAF, 0xE0, 0xDE, 0xFB},
            {0x0A, 0xC1, 0xA1, 0xA6, 0x8D, 0xA3, 0xD5, 0xD4, 0x09, 0x08, 0x84, 0xEF, 0x7B, 0x30, 0x54, 0x01},
            {0xBF, 0x64, 0x63, 0xD7, 0xD4, 0xE1, 0xEB, 0xAF, 0x6C, 0x54, 0x2F, 0x39, 0xFF, 0xA6, 0xB4, 0xC0},
            {0xF6, 0xB8, 0x30, 0xF6, 0xC4, 0x90, 0x99, 0x37, 0x2A, 0x0F, 0xEB, 0xEC, 0x64, 0x31, 0x8D, 0xC2},
            {0xA9, 0x2D, 0x6B, 0x49, 0x01, 0x58, 0x78, 0xB1, 0x01, 0xF3, 0xFE, 0x91, 0x91, 0xD3, 0xD1, 0x10},
            {0xEA, 0x86, 0x9F, 0x07, 0x65, 0x0E, 0x52, 0xD4, 0x60, 0x98, 0xC6, 0x7F, 0x52, 0xDF, 0x44, 0x85},
            {0x8E, 0x44, 0x30, 0x14, 0xDD, 0x02, 0xF5, 0x2A, 0x8E, 0xC8, 0x48, 0x48, 0xF8, 0x48, 0x3C, 0x20},
            {0x4D, 0xD0, 0xE3, 0xE8, 0x4C, 0xC3, 0x16, 0x6E, 0x4B, 0x7F, 0xA2, 0x89, 0x0D, 0x64, 0xA5, 0x94},
            {0x6E, 0xA2, 0x76, 0x72, 0x6C, 0x48, 0x7A, 0xB8, 0x5D, 0x27, 0xBD, 0x10, 0xDD, 0x84, 0x94, 0x01},
    };
    for (int i = 0; i < 128; i++) {
        if (i % 8 == 0) memcpy(&l->columns[i], columns[i / 8], 16);
        // t^8 = t^7 + t^6 + t + 1.
        else l->columns[i] = times_t(l->columns[i - 1], 0xC3);
    }
}

/// L(block): the sum of the columns that belong to bits which are set. All are read.
INLINE plane mixed(const matrix *l, plane block) {
    typedef int32_t signs __attribute__((vector_size(16)));
    signs words = (signs)block, bits[4];
    // Two sums, which do not wait for each other.
    plane sums[2] = {{0}};
    for (int i = 0; i < 4; i++) bits[i] = (signs){0} + words[i];
    for (int bit = 31; bit >= 0; bit--) {
        for (int i = 0; i < 4; i++) {
            sums[i % 2] ^= (plane)(bits[i] >> 31) & l->columns[32 * i + bit];
            bits[i] += bits[i];
        }
    }
    return sums[0] ^ sums[1];
}

/// The bytes of a block in the other order.
INLINE plane reversed(plane block) { return (plane){__builtin_bswap64(block[1]), __builtin_bswap64(block[0])}; }

/// The inverse of L, whose coefficients read the same from either end.
INLINE plane mixed_back(const matrix *l, plane block) { return reversed(mixed(l, reversed(block))); }

/// S on one block, whose bits are separated with less work than the bits of eight.
INLINE plane substitute_block(plane block) {
    const plane bits = {0x0101010101010101, 0x0101010101010101};
    plane result = {0};
    planes x;
    for (int bit = 0; bit < 8; bit++) x.rows[bit] = (block >> bit) & bits;
    x = substitute(x);
    for (int bit = 0; bit < 8; bit++) result |= (x.rows[bit] & bits) << bit;
    return result;
}

/// L(S(block)).
INLINE void mix_portable(const matrix *l, planes *x, size_t count) {
    if (count == 1) {
        x->rows[0] = mixed(l, substitute_block(x->rows[0]));
        return;
    }
    transpose_bits(x);
    *x = substitute(*x);
    transpose_bits(x);
    for (size_t i = 0; i < count; i++) x->rows[i] = mixed(l, x->rows[i]);
}

INLINE void mix_back_portable(const matrix *l, planes *x, size_t count) {
    for (size_t i = 0; i < count; i++) x->rows[i] = mixed_back(l, x->rows[i]);
    transpose_bits(x);
    *x = substitute_back(*x);
    transpose_bits(x);
}

INLINE void add_key_portable(const uint8_t *key, planes *x, size_t count) {
    plane k;
    memcpy(&k, key, sizeof k);
    for (size_t i = 0; i < count; i++) x->rows[i] ^= k;
}

/// Enciphers at most eight blocks.
INLINE void encrypt_few_portable(const matrix *l, const uint8_t *keys, planes *x, size_t count) {
    for (int round = 0; round < 9; round++) {
        add_key_portable(keys + 16 * round, x, count);
        mix_portable(l, x, count);
    }
    add_key_portable(keys + 16 * 9, x, count);
}

INLINE void decrypt_few_portable(const matrix *l, const uint8_t *keys, planes *x, size_t count) {
    add_key_portable(keys + 16 * 9, x, count);
    for (int round = 8; round >= 0; round--) {
        mix_back_portable(l, x, count);
        add_key_portable(keys + 16 * round, x, count);
    }
}

/// Enciphers or deciphers blocks, eight at a time.
INLINE void transform_few_portable(bool decrypts, const uint8_t *keys, const uint8_t *input, uint8_t *output,
                                   size_t count) {
    matrix l;
    planes x;
    make_matrix(&l);
    while (count > 0) {
        x = (planes){{{0}}};
        size_t n = count < few_blocks ? count : few_blocks;
        memcpy(&x, input, 16 * n);
        if (decrypts) decrypt_few_portable(&l, keys, &x, n);
        else encrypt_few_portable(&l, keys, &x, n);
        memcpy(output, &x, 16 * n);
        count -= n, input += 16 * n, output += 16 * n;
    }
    explicit_bzero(&x, sizeof x);
}

#endif
