/* SPDX-License-Identifier: Apache-2.0 */
// Curves by their numbers, and what takes octets to words and back.

#include "Groups.h"

/// Numbers of octets, the least significant first.
static void words_read(size_t count, word *r, const uint8_t *octets) {
    for (size_t i = 0; i < count; i++) {
        word a = 0;
        for (size_t j = 8; j-- > 0;) a = a << 8 | octets[8 * i + j];
        r[i] = a;
    }
}

static void words_write(size_t count, uint8_t *octets, const word *a) {
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < 8; j++) octets[8 * i + j] = (uint8_t)(a[i] >> 8 * j);
    }
}

/// −1 / m modulo 2^64 for an odd m: each step of Newton's doubles the bits that are right, of which there are three at first.
static word negative_inverse(word m) {
    word inverse = m;
    for (int i = 0; i < 5; i++) inverse *= 2 - m * inverse;
    return 0 - inverse;
}

/// Fills in what Montgomery's multiplication modulo m->words needs. Its time depends on m, which is public.
INLINE void prepare_modulus_of(size_t count, modulus *m) {
    m->inverse = negative_inverse(m->words[0]);
    word r[longest] = {1};
    for (size_t i = 0; i < 2 * 64 * count; i++) {
        word twice[longest], less[longest];
        word carry = words_add(count, twice, r, r);
        word borrow = words_subtract(count, less, twice, m->words);
        memcpy(r, carry == 1 || borrow == 0 ? less : twice, count * sizeof(word));
    }
    memcpy(m->square, r, sizeof r);
}

static void prepare_modulus(modulus *m, size_t count) {
    if (count == 4) prepare_modulus_of(4, m);
    else prepare_modulus_of(8, m);
}

/// Whether p is 2^(64·count) − fold.
static bool is_folded(const modulus *p, size_t count, word fold) {
    bool is = p->words[0] == 0 - fold;
    for (size_t i = 1; i < count; i++) is = is && p->words[i] == ~(word)0;
    return is;
}

static const gost_group *group(const gost_curve *curve) {
    return curve->count == 4 ? gost_group256(curve->form, is_folded(&curve->p, 4, 617))
                             : gost_group512(curve->form, is_folded(&curve->p, 8, 569));
}

size_t gost_curve_size(bool has_table) { return sizeof(gost_curve) + (has_table ? table_size : 0); }

bool gost_curve_prepare(gost_curve *curve, const gost_curve_numbers *numbers, bool has_table) {
    size_t count = numbers->size / 8;
    if (numbers->size % 8 != 0 || (count != 4 && count != 8)) return false;
    memset(curve, 0, sizeof *curve);
    curve->form = numbers->form;
    curve->count = count;
    word x[longest], y[longest], d[longest];
    words_read(count, curve->p.words, numbers->p);
    words_read(count, curve->q.words, numbers->q);
    words_read(count, curve->a, numbers->a);
    words_read(count, curve->b, numbers->b);
    words_read(count, x, numbers->x);
    words_read(count, y, numbers->y);
    words_read(count, d, numbers->d);
    prepare_modulus(&curve->p, count);
    prepare_modulus(&curve->q, count);
    if (group(curve) == NULL) return false;
    group(curve)->prepare(curve, d);
    if (has_table) group(curve)->make_table(curve, x, y);
    return true;
}

/// The octets of a point as words.
static void read_point(const gost_curve *curve, word *point, const uint8_t *octets) {
    words_read(2 * curve->count, point, octets);
}

// The operations. Each leaves its traces below its caller, which clears them.

APART bool has_point(const gost_curve *curve, const uint8_t *point) {
    word words[2 * longest];
    read_point(curve, words, point);
    return group(curve)->is_on_curve(curve, words);
}

APART bool has_order_q(const gost_curve *curve, const uint8_t *point) {
    word words[2 * longest];
    read_point(curve, words, point);
    return group(curve)->has_order_q(curve, words);
}

APART bool multiply_base(const gost_curve *curve, uint8_t *result, const uint8_t *k) {
    word product[2 * longest], factor[longest];
    words_read(curve->count, factor, k);
    bool is_point = group(curve)->multiply_base(curve, product, factor);
    words_write(2 * curve->count, result, product);
    return is_point;
}

APART bool multiply(const gost_curve *curve, uint8_t *result, const uint8_t *k, const uint8_t *point) {
    word product[2 * longest], factor[longest], words[2 * longest];
    words_read(curve->count, factor, k);
    read_point(curve, words, point);
    bool is_point = group(curve)->multiply(curve, product, factor, words);
    words_write(2 * curve->count, result, product);
    return is_point;
}

APART bool add(const gost_curve *curve, uint8_t *result, const uint8_t *left, const uint8_t *right) {
    word sum[2 * longest], first[2 * longest], second[2 * longest];
    read_point(curve, first, left);
    read_point(curve, second, right);
    bool is_point = group(curve)->add(curve, sum, first, second);
    words_write(2 * curve->count, result, sum);
    return is_point;
}

/// An operation modulo q with octets.
APART void compute(
    const gost_curve *curve, gost_scalar_operation operation, uint8_t *result, const uint8_t *a, const uint8_t *b
) {
    word r[longest], first[longest], second[longest];
    words_read(curve->count, first, a);
    words_read(curve->count, second, b);
    if (curve->count == 4) gost_scalar256(operation, &curve->q, r, first, second);
    else gost_scalar512(operation, &curve->q, r, first, second);
    words_write(curve->count, result, r);
}

/// The answer of an operation with points, whose traces are cleared: within its caller, so that both begin at one place.
INLINE bool cleared(bool answer) {
    gost_clear_stack();
    return gost_public_answer(answer);
}

bool gost_curve_has_point(const gost_curve *curve, const uint8_t *point) {
    return cleared(has_point(curve, point));
}

bool gost_curve_has_order_q(const gost_curve *curve, const uint8_t *point) {
    return cleared(has_order_q(curve, point));
}

bool gost_curve_multiply_base(const gost_curve *curve, uint8_t *result, const uint8_t *k) {
    return cleared(multiply_base(curve, result, k));
}

bool gost_curve_multiply(const gost_curve *curve, uint8_t *result, const uint8_t *k, const uint8_t *point) {
    return cleared(multiply(curve, result, k, point));
}

bool gost_curve_add(const gost_curve *curve, uint8_t *result, const uint8_t *left, const uint8_t *right) {
    return cleared(add(curve, result, left, right));
}

bool gost_curve_has_x_modulo_q(
    const gost_curve *curve, const uint8_t *x, const uint8_t *k, const uint8_t *l, const uint8_t *point
) {
    word expected[longest], first[longest], second[longest], words[2 * longest];
    words_read(curve->count, expected, x);
    words_read(curve->count, first, k);
    words_read(curve->count, second, l);
    read_point(curve, words, point);
    return group(curve)->has_x_modulo_q(curve, expected, first, second, words);
}

void gost_curve_prepare_point(const gost_curve *curve, gost_prepared_point *prepared, const uint8_t *point) {
    word words[2 * longest];
    read_point(curve, words, point);
    group(curve)->prepare_point(curve, prepared->words, words);
}

bool gost_curve_prepared_has_x_modulo_q(
    const gost_curve *curve, const uint8_t *x, const uint8_t *k, const uint8_t *l, const gost_prepared_point *prepared
) {
    word expected[longest], first[longest], second[longest];
    words_read(curve->count, expected, x);
    words_read(curve->count, first, k);
    words_read(curve->count, second, l);
    return group(curve)->prepared_has_x_modulo_q(curve, expected, first, second, prepared->words);
}

void gost_scalar_multiply(const gost_curve *curve, uint8_t *result, const uint8_t *a, const uint8_t *b) {
    compute(curve, gost_scalar_product, result, a, b);
    gost_clear_little();
}

void gost_scalar_add(const gost_curve *curve, uint8_t *result, const uint8_t *a, const uint8_t *b) {
    compute(curve, gost_scalar_sum, result, a, b);
    gost_clear_little();
}

void gost_scalar_invert(const gost_curve *curve, uint8_t *result, const uint8_t *a) {
    compute(curve, gost_scalar_inverse, result, a, a);
    gost_clear_little();
}
