/* SPDX-License-Identifier: Apache-2.0 */
// Numbers in words of 64 bits, the least significant first. Nothing here branches on a number, nor reads memory by one.
#ifndef GOST_CURVES_WORDS_H
#define GOST_CURVES_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "Word.h"

/// What is too long to stand at each place that calls it.
#define SHARED static __attribute__((noinline))
#define UNROLLED _Pragma("clang loop unroll(full)")

/// The words of the longest numbers.
enum { longest = 8 };

/// An odd number, and what Montgomery's multiplication modulo it needs.
typedef struct {
    word words[longest];
    /// −1 / m modulo a word.
    word inverse;
    /// R² modulo m, where R is what overflows the number's words.
    word square[longest];
} modulus;

/// r = a + b; gives the carry.
INLINE word words_add(size_t count, word *r, const word *a, const word *b) {
    word carry = 0;
    UNROLLED for (size_t i = 0; i < count; i++) r[i] = sum(a[i], b[i], &carry);
    return carry;
}

/// r = a − b; gives the borrow.
INLINE word words_subtract(size_t count, word *r, const word *a, const word *b) {
    word borrow = 0;
    UNROLLED for (size_t i = 0; i < count; i++) r[i] = difference(a[i], b[i], &borrow);
    return borrow;
}

/// r += a·b for a word b; gives what goes beyond r, which has as many words as a. With W = 2^64 and n words, that is one
/// word: W^n − 1 + (W^n − 1)·(W − 1) is below W^(n + 1).
INLINE word words_add_product(size_t count, word *r, const word *a, word b) {
    word lower[longest], upper[longest], carry = 0;
    UNROLLED for (size_t i = 0; i < count; i++) {
        wide t = product(a[i], b);
        lower[i] = low(t);
        upper[i] = high(t);
    }
    UNROLLED for (size_t i = 0; i < count; i++) r[i] = sum(r[i], lower[i], &carry);
    word top = upper[count - 1] + carry;
    carry = 0;
    UNROLLED for (size_t i = 1; i < count; i++) r[i] = sum(r[i], upper[i - 1], &carry);
    return top + carry;
}

/// r = a·b, of twice as many words.
INLINE void words_multiply(size_t count, word *r, const word *a, const word *b) {
    UNROLLED for (size_t i = 0; i < count; i++) r[i] = 0;
    UNROLLED for (size_t i = 0; i < count; i++) r[i + count] = words_add_product(count, r + i, a, b[i]);
}

/// r = a², of twice as many words: the products of different words are computed once, and doubled.
INLINE void words_square(size_t count, word *r, const word *a) {
    UNROLLED for (size_t i = 0; i < 2 * count; i++) r[i] = 0;
    UNROLLED for (size_t i = 0; i + 1 < count; i++) {
        r[i + count] = words_add_product(count - 1 - i, r + 2 * i + 1, a + i + 1, a[i]);
    }
    word top = 0, carry = 0;
    UNROLLED for (size_t i = 0; i < count; i++) {
        word even = r[2 * i], odd = r[2 * i + 1];
        wide square = product(a[i], a[i]);
        r[2 * i] = sum(even << 1 | top, low(square), &carry);
        r[2 * i + 1] = sum(odd << 1 | even >> (word_bits - 1), high(square), &carry);
        top = odd >> (word_bits - 1);
    }
}

/// r = a where `bits` are ones, and else r.
INLINE void words_take(size_t count, word *r, const word *a, word bits) {
    UNROLLED for (size_t i = 0; i < count; i++) r[i] ^= (r[i] ^ a[i]) & bits;
}

/// 1 if the number is 0.
INLINE word words_are_zero(size_t count, const word *a) {
    word all = 0;
    UNROLLED for (size_t i = 0; i < count; i++) all |= a[i];
    return 1 ^ ((all | (0 - all)) >> (word_bits - 1));
}

#endif
