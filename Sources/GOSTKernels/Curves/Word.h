/* SPDX-License-Identifier: Apache-2.0 */
// Words of 64 bits, and what is computed with two of them. Tests/Programs/Curves has another, with words of a few bits, to
// try all numbers.
#ifndef GOST_CURVES_WORD_H
#define GOST_CURVES_WORD_H

#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

enum { word_bits = 64 };
typedef uint64_t word;
typedef unsigned __int128 wide;

/// The product of two words.
INLINE wide product(word a, word b) { return (wide)a * b; }

/// The lower word.
INLINE word low(wide a) { return (word)a; }

/// The upper word.
INLINE word high(wide a) { return (word)(a >> 64); }

/// The lower word of a + b + carry, which is 0 or 1 before and after.
INLINE word sum(word a, word b, word *carry) {
    unsigned long long more;
    word r = __builtin_addcll(a, b, *carry, &more);
    *carry = more;
    return r;
}

/// The lower word of a − b − borrow, which is 0 or 1 before and after.
INLINE word difference(word a, word b, word *borrow) {
    unsigned long long less;
    word r = __builtin_subcll(a, b, *borrow, &less);
    *borrow = less;
    return r;
}

/// Ones everywhere if `bit` is 1, zero if it is 0. The compiler does not see which, and makes no branch of it.
INLINE word mask(word bit) {
    __asm__("" : "+r"(bit));
    return 0 - bit;
}

#endif
