/* SPDX-License-Identifier: Apache-2.0 */
// Inverses by Pornin's binary algorithm for the greatest common divisor (ePrint 2020/972), in constant time, for the file that
// names COUNT and NUMBER(name).
//
// Of a and b, which begin as the number and the modulus m, the lowest 31 bits and the highest 33 decide what 31 steps of the
// algorithm do. The steps are computed with these alone, as factors of a and b, and then done to a and b at once, and to u and
// v, for which a = number·u and b = number·v modulo m. After twice the bits of m, b is 1 and v the inverse.
//
// Bounds: the factors of a step are at most 2^31 together, so that a·f + b·g and u·f + v·g are within ±2^31·m and take up one
// word more than m. u·f + v·g, plus a multiple of m by less than 2^31, divided by 2^31, is between −m and 2m.

enum { NUMBER(steps) = 31, NUMBER(rounds) = (2 * 64 * COUNT + NUMBER(steps) - 1) / NUMBER(steps) };

/// r = (a·f + b·g + m·h) / 2^31 as a number of one word more in two's complement, where the sum is a multiple of 2^31.
INLINE void NUMBER(combine)(word *r, const word *a, int64_t f, const word *b, int64_t g, const word *m, word h) {
    __int128 t = 0;
    word sums[COUNT + 1];
    // A product of a word and a signed factor is that of two words, less the factor's sign in the next word.
    word f_sign = (word)(f >> 63), g_sign = (word)(g >> 63), f_size = ((word)f ^ f_sign) - f_sign;
    word g_size = ((word)g ^ g_sign) - g_sign;
    UNROLLED for (size_t i = 0; i < COUNT; i++) {
        // Opposites bit by bit would need a carry: the sizes are multiplied, and the signs taken after.
        __int128 left = (__int128)product(a[i], f_size), right = (__int128)product(b[i], g_size);
        __int128 left_sign = (__int128)(int64_t)f_sign, right_sign = (__int128)(int64_t)g_sign;
        t += ((left ^ left_sign) - left_sign) + ((right ^ right_sign) - right_sign) + (__int128)product(m[i], h);
        sums[i] = (word)t;
        t >>= 64;
    }
    sums[COUNT] = (word)t;
    UNROLLED for (size_t i = 0; i < COUNT; i++) r[i] = sums[i] >> 31 | sums[i + 1] << 33;
    r[COUNT] = (word)((int64_t)sums[COUNT] >> 31);
}

/// r = −r where `bits` are ones.
INLINE void NUMBER(oppose)(word *r, word bits) {
    word carry = bits & 1;
    UNROLLED for (size_t i = 0; i <= COUNT; i++) r[i] = sum(r[i] ^ bits, 0, &carry);
}

/// r = t modulo m, for t between −m and 2m in two's complement.
INLINE void NUMBER(normalize)(const modulus *m, word *r, const word *t) {
    word more[COUNT], less[COUNT], negative = mask(t[COUNT] >> 63);
    words_add(COUNT, more, t, m->words);
    UNROLLED for (size_t i = 0; i < COUNT; i++) r[i] = t[i];
    words_take(COUNT, r, more, negative);
    word top = (t[COUNT] & ~negative) & 1;
    word borrow = words_subtract(COUNT, less, r, m->words);
    words_take(COUNT, r, less, mask(top | (1 ^ borrow)));
}

/// r = 1 / a modulo m, and 0 for 0, for plain numbers below m.
static __attribute__((noinline)) void NUMBER(invert)(const modulus *m, word *r, const word *number) {
    word a[COUNT + 1] = {0}, b[COUNT + 1] = {0}, u[COUNT] = {1}, v[COUNT] = {0}, next[COUNT + 1], other[COUNT + 1];
    memcpy(a, number, COUNT * sizeof(word));
    memcpy(b, m->words, COUNT * sizeof(word));
    for (size_t round = 0; round < NUMBER(rounds); round++) {
        // The highest words that are not 0 in both, and those below them.
        word is_above = ~(word)0, is_next = ~(word)0, a_high = 0, a_low = 0, b_high = 0, b_low = 0;
        UNROLLED for (size_t i = COUNT; i-- > 0;) {
            a_high ^= (a_high ^ a[i]) & is_above;
            b_high ^= (b_high ^ b[i]) & is_above;
            a_low ^= (a_low ^ a[i]) & is_next;
            b_low ^= (b_low ^ b[i]) & is_next;
            is_next = is_above;
            word both = a[i] | b[i];
            is_above &= mask(1 ^ ((both | (0 - both)) >> 63));
        }
        // Numbers of one word are taken as they are.
        unsigned shift = (unsigned)__builtin_clzll(a_high | b_high | 1) & (unsigned)~is_next;
        a_high = a_high << shift | a_low >> 1 >> (63 - shift);
        b_high = b_high << shift | b_low >> 1 >> (63 - shift);
        const word lowest = 0x7FFFFFFF;
        word x = (a_high & ~lowest) | (a[0] & lowest), y = (b_high & ~lowest) | (b[0] & lowest);

        int64_t f0 = 1, g0 = 0, f1 = 0, g1 = 1;
        for (int i = 0; i < NUMBER(steps); i++) {
            word odd = mask(x & 1), below = 0;
            (void)difference(x, y, &below);
            word swaps = odd & mask(below), t = (x ^ y) & swaps;
            x ^= t;
            y ^= t;
            t = (word)(f0 ^ f1) & swaps;
            f0 ^= (int64_t)t;
            f1 ^= (int64_t)t;
            t = (word)(g0 ^ g1) & swaps;
            g0 ^= (int64_t)t;
            g1 ^= (int64_t)t;
            x = (x - (y & odd)) >> 1;
            f0 -= f1 & (int64_t)odd;
            g0 -= g1 & (int64_t)odd;
            f1 *= 2;
            g1 *= 2;
        }

        NUMBER(combine)(next, a, f0, b, g0, m->words, 0);
        NUMBER(combine)(other, a, f1, b, g1, m->words, 0);
        word next_sign = mask(next[COUNT] >> 63), other_sign = mask(other[COUNT] >> 63);
        NUMBER(oppose)(next, next_sign);
        NUMBER(oppose)(other, other_sign);
        memcpy(a, next, sizeof a);
        memcpy(b, other, sizeof b);
        f0 = (int64_t)(((word)f0 ^ next_sign) - next_sign);
        g0 = (int64_t)(((word)g0 ^ next_sign) - next_sign);
        f1 = (int64_t)(((word)f1 ^ other_sign) - other_sign);
        g1 = (int64_t)(((word)g1 ^ other_sign) - other_sign);
        // h makes the lowest 31 bits 0.
        word h0 = ((u[0] * (word)f0 + v[0] * (word)g0) * m->inverse) & lowest;
        word h1 = ((u[0] * (word)f1 + v[0] * (word)g1) * m->inverse) & lowest;
        NUMBER(combine)(next, u, f0, v, g0, m->words, h0);
        NUMBER(combine)(other, u, f1, v, g1, m->words, h1);
        NUMBER(normalize)(m, u, next);
        NUMBER(normalize)(m, v, other);
    }
    memcpy(r, v, sizeof v);
}
