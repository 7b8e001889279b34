/* SPDX-License-Identifier: Apache-2.0 */
// Arithmetic modulo p = 2^(64·COUNT) − FOLD, for the file that names COUNT, FOLD and FIELD(name).
//
// Elements are any numbers of COUNT words: two of them may stand for one residue, because p is left out only at the end
// (`leave`). With W = 2^64 and R = W^COUNT, R is FOLD modulo p, and so what overflows is multiplied by FOLD and added below.
//
// Bounds: `carry` after the first round of `reduce` is at most FOLD, because the upper half times FOLD, plus the lower
// half, is below R·(FOLD + 1). In `fold`, top·FOLD is at most FOLD² < 2^20. If adding it overflows R, less than FOLD² is
// left, so that FOLD more does not overflow the lowest word. A difference that is below 0 after FOLD was taken away is
// −FOLD at least, so that R minus it leaves FOLD in the lowest word.

/// r += top·FOLD, for top ≤ FOLD.
INLINE void FIELD(fold)(word *r, word top) {
    word carry = 0;
    r[0] = sum(r[0], top * FOLD, &carry);
    UNROLLED for (size_t i = 1; i < COUNT; i++) r[i] = sum(r[i], 0, &carry);
    r[0] += carry * FOLD;
}

/// r = t modulo p, for a product t.
INLINE void FIELD(reduce)(word *r, word *t) {
    word carry = words_add_product(COUNT, t, t + COUNT, FOLD);
    UNROLLED for (size_t i = 0; i < COUNT; i++) r[i] = t[i];
    FIELD(fold)(r, carry);
}

SUM void FIELD(add)(const modulus *p, word *r, const word *a, const word *b) {
    (void)p;
    FIELD(fold)(r, words_add(COUNT, r, a, b));
}

SUM void FIELD(subtract)(const modulus *p, word *r, const word *a, const word *b) {
    (void)p;
    word borrow = words_subtract(COUNT, r, a, b);
    word more = 0;
    r[0] = difference(r[0], borrow * FOLD, &more);
    UNROLLED for (size_t i = 1; i < COUNT; i++) r[i] = difference(r[i], 0, &more);
    r[0] -= more * FOLD;
}

SHARED void FIELD(multiply)(const modulus *p, word *r, const word *a, const word *b) {
    (void)p;
    word t[2 * COUNT];
    words_multiply(COUNT, t, a, b);
    FIELD(reduce)(r, t);
}

SHARED void FIELD(square)(const modulus *p, word *r, const word *a) {
    (void)p;
    word t[2 * COUNT];
    words_square(COUNT, t, a);
    FIELD(reduce)(r, t);
}

/// r = a as an element.
INLINE void FIELD(enter)(const modulus *p, word *r, const word *a) {
    (void)p;
    memmove(r, a, COUNT * sizeof(word));
}

/// r = the number below p that an element stands for.
INLINE void FIELD(leave)(const modulus *p, word *r, const word *a) {
    word t[COUNT];
    word borrow = words_subtract(COUNT, t, a, p->words);
    memmove(r, a, COUNT * sizeof(word));
    words_take(COUNT, r, t, mask(1 ^ borrow));
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
