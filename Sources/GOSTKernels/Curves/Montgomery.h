/* SPDX-License-Identifier: Apache-2.0 */
// Arithmetic modulo any odd m of COUNT words in Montgomery's form, for the file that names COUNT and FIELD(name).
//
// With W = 2^64 and R = W^COUNT, an element stands for itself divided by R, and is below m.
//
// Bounds: of the factors of `multiply`, one is below m and the other below R. Their product and the multiple of m that is
// added are each below m·R, so that the sum divided by R is below 2m: it takes up one bit more than m, and one subtraction
// of m makes it an element.

/// r = t modulo m, for t < 2m with `top` above its words.
INLINE void FIELD(settle)(const modulus *m, word *r, const word *t, word top) {
    word less[COUNT];
    word borrow = words_subtract(COUNT, less, t, m->words);
    UNROLLED for (size_t i = 0; i < COUNT; i++) r[i] = t[i];
    words_take(COUNT, r, less, mask(top | (1 ^ borrow)));
}

/// r = a·b / R. One of the factors is an element, the other any number.
SHARED void FIELD(multiply)(const modulus *m, word *r, const word *a, const word *b) {
    word t[2 * COUNT], carry = 0;
    words_multiply(COUNT, t, a, b);
    UNROLLED for (size_t i = 0; i < COUNT; i++) {
        word factor = low(product(t[i], m->inverse));
        word above = words_add_product(COUNT, t + i, m->words, factor);
        t[COUNT + i] = sum(t[COUNT + i], above, &carry);
    }
    FIELD(settle)(m, r, t + COUNT, carry);
}

INLINE void FIELD(square)(const modulus *m, word *r, const word *a) { FIELD(multiply)(m, r, a, a); }

SUM void FIELD(add)(const modulus *m, word *r, const word *a, const word *b) {
    word t[COUNT];
    word carry = words_add(COUNT, t, a, b);
    FIELD(settle)(m, r, t, carry);
}

SUM void FIELD(subtract)(const modulus *m, word *r, const word *a, const word *b) {
    word t[COUNT];
    word borrow = words_subtract(COUNT, r, a, b);
    words_add(COUNT, t, r, m->words);
    words_take(COUNT, r, t, mask(borrow));
}

/// r = a as an element, for any number a.
INLINE void FIELD(enter)(const modulus *m, word *r, const word *a) { FIELD(multiply)(m, r, m->square, a); }

/// r = the number below m that an element stands for.
INLINE void FIELD(leave)(const modulus *m, word *r, const word *a) {
    word one[COUNT] = {1};
    FIELD(multiply)(m, r, a, one);
}

#ifdef NUMBER
/// r = 1 / a, and 0 for 0.
static void FIELD(invert)(const modulus *m, word *r, const word *a) {
    word number[COUNT];
    FIELD(leave)(m, number, a);
    NUMBER(invert)(m, number, number);
    FIELD(enter)(m, r, number);
}
#endif
