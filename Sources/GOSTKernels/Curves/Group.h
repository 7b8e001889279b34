/* SPDX-License-Identifier: Apache-2.0 */
// Multiples of points, for the file that names COUNT, FIELD(name), GROUP(name) and BASE_BITS, and has included a form.
//
// An odd k is the sum of digits d_i·2^(w·i), each odd and between −2^w and 2^w: bit j of k, moved down by one, says whether
// 2^j is added or taken away, and the bit above all of them is 1. So no digit is 0, and all k take the same additions. An
// even k is replaced by q − k, and the product by its opposite.

enum {
    GROUP(bits) = 64 * COUNT,
    GROUP(base_windows) = (GROUP(bits) + BASE_BITS - 1) / BASE_BITS,
    GROUP(base_multiples) = 1 << (BASE_BITS - 1),
    /// Bits of a window of another point than P.
    GROUP(window) = 5,
    GROUP(windows) = (GROUP(bits) + GROUP(window) - 1) / GROUP(window),
    GROUP(multiples) = 1 << (GROUP(window) - 1),
    GROUP(most_multiples) = GROUP(multiples) > GROUP(base_multiples) ? GROUP(multiples) : GROUP(base_multiples),
};

_Static_assert(sizeof(word) * 2 * COUNT * GROUP(base_windows) * GROUP(base_multiples) <= table_size, "the table is too long");

/// A digit d: which odd multiple |d| = 2·index + 1 is meant, and ones if d is negative.
typedef struct {
    word index, sign;
} GROUP(digit);

/// The digit of `width` bits at `position` of an odd k.
INLINE GROUP(digit) GROUP(recode)(const word *k, size_t position, size_t width, bool is_last) {
    size_t at = position + 1;
    word bits = at / 64 < COUNT ? k[at / 64] >> at % 64 : 0;
    if (at % 64 + width > 64 && at / 64 + 1 < COUNT) bits |= k[at / 64 + 1] << (64 - at % 64);
    bits &= ((word)1 << width) - 1;
    if (is_last) bits |= (word)1 << (width - 1);
    word sign = mask(1 ^ (bits >> (width - 1) & 1));
    return (GROUP(digit)){(bits ^ sign) & (((word)1 << (width - 1)) - 1), sign};
}

/// r = the element of `count` of `size` words at `index`. All are read.
INLINE void GROUP(choose)(word *r, const word *table, size_t count, size_t size, word index) {
    memset(r, 0, size * sizeof(word));
    for (size_t i = 0; i < count; i++) {
        word different = i ^ index;
        word bits = mask(1 ^ ((different | (0 - different)) >> 63));
        UNROLLED for (size_t j = 0; j < size; j++) r[j] |= table[size * i + j] & bits;
    }
}

/// odd = k or q − k, whichever is odd; gives ones if it is q − k.
INLINE word GROUP(make_odd)(const gost_curve *c, word *odd, const word *k) {
    word even = mask(1 ^ (k[0] & 1)), opposite[COUNT];
    words_subtract(COUNT, opposite, c->q.words, k);
    memcpy(odd, k, sizeof opposite);
    words_take(COUNT, odd, opposite, even);
    return even;
}

/// The coordinates of a point, unless it is O.
static bool GROUP(give)(const gost_curve *c, word *result, const GROUP(point) *a) {
    word x[COUNT], y[COUNT];
    GROUP(leave)(c, x, y, a);
    FIELD(leave)(&c->p, result, x);
    FIELD(leave)(&c->p, result + COUNT, y);
    return GROUP(is_infinity)(c, a) == 0;
}

static void GROUP(take)(const gost_curve *c, GROUP(point) *r, const word *point) {
    word x[COUNT], y[COUNT];
    FIELD(enter)(&c->p, x, point);
    FIELD(enter)(&c->p, y, point + COUNT);
    GROUP(enter)(c, r, x, y);
}

/// r = P, 3P, 5P, …
INLINE void GROUP(make_multiples)(const gost_curve *c, GROUP(point) *r, size_t count) {
    GROUP(point) twice;
    GROUP(double)(c, &twice, &r[0], true);
    for (size_t i = 1; i < count; i++) GROUP(add)(c, &r[i], &r[i - 1], &twice);
}

/// Writes points in affine coordinates, X/Z and Y/Z, with one inversion for all.
static void GROUP(flatten)(const gost_curve *c, word *table, const GROUP(point) *points, size_t count) {
    word products[GROUP(most_multiples)][COUNT], inverse[COUNT], one[COUNT];
    memcpy(products[0], points[0].z, sizeof products[0]);
    for (size_t i = 1; i < count; i++) FIELD(multiply)(&c->p, products[i], products[i - 1], points[i].z);
    FIELD(invert)(&c->p, inverse, products[count - 1]);
    for (size_t i = count; i-- > 0;) {
        if (i > 0) FIELD(multiply)(&c->p, one, inverse, products[i - 1]);
        else memcpy(one, inverse, sizeof one);
        FIELD(multiply)(&c->p, table + 2 * COUNT * i, points[i].x, one);
        FIELD(multiply)(&c->p, table + 2 * COUNT * i + COUNT, points[i].y, one);
        FIELD(multiply)(&c->p, inverse, inverse, points[i].z);
    }
}

/// c->d is d, and s = (1 − d) / 4, t = (1 + d) / 6.
static void GROUP(prepare_form)(gost_curve *c, const word *d) {
    word number[COUNT] = {0}, inverse[COUNT];
    FIELD(enter)(&c->p, c->d, d);
    number[0] = 4;
    FIELD(enter)(&c->p, inverse, number);
    FIELD(invert)(&c->p, inverse, inverse);
    FIELD(subtract)(&c->p, c->s, c->one, c->d);
    FIELD(multiply)(&c->p, c->s, c->s, inverse);
    number[0] = 6;
    FIELD(enter)(&c->p, inverse, number);
    FIELD(invert)(&c->p, inverse, inverse);
    FIELD(add)(&c->p, c->t, c->one, c->d);
    FIELD(multiply)(&c->p, c->t, c->t, inverse);
}

/// Makes elements of a, b and d, which are words until then.
static void GROUP(prepare)(gost_curve *c, const word *d) {
    word one[COUNT] = {1};
    FIELD(enter)(&c->p, c->one, one);
    FIELD(enter)(&c->p, c->a, c->a);
    FIELD(enter)(&c->p, c->b, c->b);
    GROUP(prepare_form)(c, d);
}

/// Makes the table of multiples of P = (x, y).
static void GROUP(make_table)(gost_curve *c, const word *x, const word *y) {
    GROUP(point) points[GROUP(base_multiples)], next;
    word base[2 * COUNT];
    memcpy(base, x, COUNT * sizeof(word));
    memcpy(base + COUNT, y, COUNT * sizeof(word));
    GROUP(take)(c, &next, base);
    for (size_t i = 0; i < GROUP(base_windows); i++) {
        points[0] = next;
        GROUP(make_multiples)(c, points, GROUP(base_multiples));
        GROUP(flatten)(c, c->table + 2 * COUNT * GROUP(base_multiples) * i, points, GROUP(base_multiples));
        for (size_t j = 0; j < BASE_BITS; j++) GROUP(double)(c, &next, &next, true);
    }
}

static bool GROUP(is_on_curve)(const gost_curve *c, const word *point) {
    word x[COUNT], y[COUNT], right[COUNT];
    FIELD(enter)(&c->p, x, point);
    FIELD(enter)(&c->p, y, point + COUNT);
    FIELD(square)(&c->p, right, x);
    FIELD(add)(&c->p, right, right, c->a);
    FIELD(multiply)(&c->p, right, right, x);
    FIELD(add)(&c->p, right, right, c->b);
    FIELD(square)(&c->p, x, y);
    FIELD(subtract)(&c->p, right, right, x);
    FIELD(leave)(&c->p, right, right);
    FIELD(leave)(&c->p, y, y);
    // A point with y = 0 has order 2: no key is one, and Edwards's form has no fraction for it.
    word is_point = words_are_zero(COUNT, right) & (1 ^ words_are_zero(COUNT, y));
    return is_point == 1;
}

/// r = k·P, for 0 < k < q.
static void GROUP(base_product)(const gost_curve *c, GROUP(point) *r, const word *k) {
    word odd[COUNT], chosen[2 * COUNT];
    word is_opposite = GROUP(make_odd)(c, odd, k);
    for (size_t i = 0; i < GROUP(base_windows); i++) {
        GROUP(digit) digit = GROUP(recode)(odd, BASE_BITS * i, BASE_BITS, i + 1 == GROUP(base_windows));
        const word *table = c->table + 2 * COUNT * GROUP(base_multiples) * i;
        GROUP(choose)(chosen, table, GROUP(base_multiples), 2 * COUNT, digit.index);
        GROUP(negate_affine)(c, chosen, chosen + COUNT, digit.sign ^ is_opposite);
        if (i == 0) GROUP(from_affine)(c, r, chosen, chosen + COUNT);
        else GROUP(add_affine)(c, r, r, chosen, chosen + COUNT);
    }
}

#ifdef MINUS_3
/// table = a, 3a, 5a, … in affine coordinates.
static __attribute__((noinline)) void GROUP(make_fractions)(const gost_curve *c, word *table, const GROUP(point) *a) {
    GROUP(point) multiples[GROUP(multiples)];
    multiples[0] = *a;
    GROUP(make_multiples)(c, multiples, GROUP(multiples));
    GROUP(flatten)(c, table, multiples, GROUP(multiples));
}

/// r = k·a, for an odd k of COUNT words, or with −k if `is_opposite` are ones.
static void GROUP(product)(const gost_curve *c, GROUP(point) *r, const word *k, word is_opposite, const GROUP(point) *a) {
    word table[2 * COUNT * GROUP(multiples)], chosen[2 * COUNT];
    GROUP(make_fractions)(c, table, a);
    for (size_t i = GROUP(windows); i-- > 0;) {
        bool is_first = i + 1 == GROUP(windows);
        GROUP(digit) digit = GROUP(recode)(k, GROUP(window) * i, GROUP(window), is_first);
        GROUP(choose)(chosen, table, GROUP(multiples), 2 * COUNT, digit.index);
        GROUP(negate_affine)(c, chosen, chosen + COUNT, digit.sign ^ is_opposite);
        if (is_first) {
            GROUP(from_affine)(c, r, chosen, chosen + COUNT);
            continue;
        }
        GROUP(double_times)(c, r, GROUP(window));
        // The last sum alone can be O, or that of a point with itself: see docs/Proof.md.
        if (i > 0) {
            GROUP(jacobian_add)(c, r, chosen, chosen + COUNT);
        } else {
            GROUP(from_jacobian)(c, r);
            GROUP(add_affine)(c, r, r, chosen, chosen + COUNT);
        }
    }
}
#else
/// r = k·a, for an odd k of COUNT words, or with −k if `is_opposite` are ones.
static void GROUP(product)(const gost_curve *c, GROUP(point) *r, const word *k, word is_opposite, const GROUP(point) *a) {
    GROUP(point) multiples[GROUP(multiples)], chosen;
    multiples[0] = *a;
    GROUP(make_multiples)(c, multiples, GROUP(multiples));
    for (size_t i = GROUP(windows); i-- > 0;) {
        bool is_last = i + 1 == GROUP(windows);
        GROUP(digit) digit = GROUP(recode)(k, GROUP(window) * i, GROUP(window), is_last);
        GROUP(choose)((word *)&chosen, (const word *)multiples, GROUP(multiples), sizeof chosen / sizeof(word), digit.index);
        GROUP(negate)(c, &chosen, digit.sign ^ is_opposite);
        if (is_last) {
            *r = chosen;
            continue;
        }
        GROUP(double_times)(c, r, GROUP(window));
        GROUP(add)(c, r, r, &chosen);
    }
}
#endif

static bool GROUP(multiply_base)(const gost_curve *c, word *result, const word *k) {
    GROUP(point) r;
    GROUP(base_product)(c, &r, k);
    bool is_point = GROUP(give)(c, result, &r);
    return is_point;
}

static bool GROUP(multiply)(const gost_curve *c, word *result, const word *k, const word *point) {
    GROUP(point) a, r;
    word odd[COUNT];
    GROUP(take)(c, &a, point);
    word is_opposite = GROUP(make_odd)(c, odd, k);
    GROUP(product)(c, &r, odd, is_opposite, &a);
    bool is_point = GROUP(give)(c, result, &r);
    return is_point;
}

static bool GROUP(has_order_q)(const gost_curve *c, const word *point) {
    GROUP(point) a, r;
    GROUP(take)(c, &a, point);
    GROUP(product)(c, &r, c->q.words, 0, &a);
    word is_infinity = GROUP(is_infinity)(c, &r);
    return is_infinity == 1;
}

static bool GROUP(sum)(const gost_curve *c, word *result, const word *left, const word *right) {
    GROUP(point) a, b;
    GROUP(take)(c, &a, left);
    GROUP(take)(c, &b, right);
    GROUP(add)(c, &a, &a, &b);
    bool is_point = GROUP(give)(c, result, &a);
    return is_point;
}

#include "PublicSum.h"

static const gost_group GROUP(functions) = {
    GROUP(prepare), GROUP(make_table), GROUP(is_on_curve), GROUP(has_order_q), GROUP(multiply_base), GROUP(multiply),
    GROUP(has_x_modulo_q), GROUP(prepare_point), GROUP(prepared_has_x_modulo_q), GROUP(sum),
};
