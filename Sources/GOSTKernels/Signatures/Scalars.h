/* SPDX-License-Identifier: Apache-2.0 */
// Numbers modulo q as octets, for the files of this folder.
#ifndef GOST_SCALARS_H
#define GOST_SCALARS_H

#include "GOSTSignatures.h"

#include <string.h>

/// A function that computes with secrets, whose caller clears the stack below itself.
#define APART static __attribute__((noinline))

/// Whether a number is 0. It is as secret as the number until it is published.
static inline bool is_zero(const uint8_t *number, size_t size) {
    uint8_t bits = 0;

    for (size_t i = 0; i < size; i++) bits |= number[i];
    return bits == 0;
}

/// Whether a number is below another one. Constant time.
static inline bool is_below(const uint8_t *number, const uint8_t *bound, size_t size) {
    int borrow = 0;

    for (size_t i = 0; i < size; i++) borrow = (number[i] - bound[i] - borrow) >> 8 & 1;
    return borrow;
}

/// A number modulo q.
static inline void reduce(const gost_domain *domain, uint8_t *result, const uint8_t *number) {
    static const uint8_t one[gost_number_largest] = {1};

    gost_scalar_multiply(domain->curve, result, number, one);
}

/// A digest, which is public, as the number e: modulo q, or 1 if that is 0.
static inline void make_e(const gost_domain *domain, uint8_t *e, const uint8_t *digest) {
    reduce(domain, e, digest);
    if (gost_public_answer(is_zero(e, domain->set->numbers->size))) e[0] = 1;
}

static inline void reverse(uint8_t *to, const uint8_t *from, size_t size) {
    for (size_t i = 0; i < size; i++) to[i] = from[size - 1 - i];
}

#endif
