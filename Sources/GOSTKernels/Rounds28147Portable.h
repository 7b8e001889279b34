/* SPDX-License-Identifier: Apache-2.0 */
// The rounds of GOST 28147-89 (RFC 5830, 5) for any processor: the rows are a polynomial of the four bits of a digit, so that no
// address depends on it.
#ifndef GOST_ROUNDS_28147_PORTABLE_H
#define GOST_ROUNDS_28147_PORTABLE_H

#include "Rounds28147.h"

#include <string.h>

/// The sums modulo 2 of the rows' values that belong to the products of those bits which are set in the index (the algebraic
/// normal form), a digit for each row.
typedef struct {
    uint32_t coefficients[16];
} polynomial;

INLINE polynomial make_polynomial(const table *rows) {
    polynomial p;
    for (int i = 0; i < 16; i++) {
        p.coefficients[i] = 0;
        for (int octet = 0; octet < 4; octet++)
            p.coefficients[i] |= (uint32_t)(rows->low[16 * octet + i] | rows->high[16 * octet + i]) << 8 * octet;
    }
    for (int bit = 1; bit < 16; bit *= 2) {
        for (int i = 0; i < 16; i++) p.coefficients[i] ^= i & bit ? p.coefficients[i ^ bit] : 0;
    }
    return p;
}

/// F in every digit whose lowest bit is set, 0 in the others.
INLINE four spread(four x) {
    x &= 0x11111111;
    return (x << 4) - x;
}

/// The substitution of every digit and the rotation by eleven.
INLINE four substitute_portable(const polynomial *p, four x) {
    const uint32_t *c = p->coefficients;
    four bits[4], sums[8];
    for (int i = 0; i < 4; i++) bits[i] = spread(x >> i);
    for (int i = 0; i < 8; i++) sums[i] = (bits[0] & c[2 * i + 1]) ^ c[2 * i];
    for (int i = 0; i < 4; i++) sums[i] = (bits[1] & sums[2 * i + 1]) ^ sums[2 * i];
    for (int i = 0; i < 2; i++) sums[i] = (bits[2] & sums[2 * i + 1]) ^ sums[2 * i];
    x = (bits[3] & sums[1]) ^ sums[0];
    return x << 11 | x >> 21;
}

INLINE void encrypt_portable(const table *rows, const schedule *keys, blocks *b, size_t count) {
    const polynomial p = make_polynomial(rows);
    for (size_t start = 0; start < count; start += 4) {
        four n1, n2;
        memcpy(&n1, b->n1 + start, sizeof n1);
        memcpy(&n2, b->n2 + start, sizeof n2);
        for (int round = 0; round < 32; round += 2) {
            n2 ^= substitute_portable(&p, n1 + keys->words[round]);
            n1 ^= substitute_portable(&p, n2 + keys->words[round + 1]);
        }
        memcpy(b->n1 + start, &n1, sizeof n1);
        memcpy(b->n2 + start, &n2, sizeof n2);
    }
}

/// The rounds of the four blocks of one half.
INLINE void encrypt_half_portable(const polynomial *p, const schedules *keys, int rounds, few *b, int half) {
    four n[2], key[2];
    memcpy(&n[0], (const uint8_t *)&b->n1 + sizeof *n * half, sizeof *n);
    memcpy(&n[1], (const uint8_t *)&b->n2 + sizeof *n * half, sizeof *n);
    for (int round = 0; round < rounds; round += 2) {
        for (int i = 0; i < 2; i++) memcpy(&key[i], (const uint8_t *)&keys->words[round + i] + sizeof *n * half, sizeof *key);
        n[1] ^= substitute_portable(p, n[0] + key[0]);
        n[0] ^= substitute_portable(p, n[1] + key[1]);
    }
    memcpy((uint8_t *)&b->n1 + sizeof *n * half, &n[0], sizeof *n);
    memcpy((uint8_t *)&b->n2 + sizeof *n * half, &n[1], sizeof *n);
}

INLINE void encrypt_few_portable(const table *rows, const schedules *keys, int rounds, few *b, size_t count) {
    const polynomial p = make_polynomial(rows);
    encrypt_half_portable(&p, keys, rounds, b, 0);
    if (count > 4) encrypt_half_portable(&p, keys, rounds, b, 1);
}

#endif
