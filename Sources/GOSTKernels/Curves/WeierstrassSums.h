/* SPDX-License-Identifier: Apache-2.0 */
// Doublings of points of y² = x³ + ax + b one after another, and sums of public points. Where a is −3 they are computed in
// Jacobian coordinates, which take fewer products. For the file that has included Weierstrass.h.

#define ADD(r, a, b) FIELD(add)(&c->p, r, a, b)
#define SUB(r, a, b) FIELD(subtract)(&c->p, r, a, b)
#define MUL(r, a, b) FIELD(multiply)(&c->p, r, a, b)
#define SQR(r, a) FIELD(square)(&c->p, r, a)

/// A public point: x and y.
typedef struct {
    word x[COUNT], y[COUNT];
} GROUP(public_point);

INLINE void GROUP(make_public)(const gost_curve *c, GROUP(public_point) *r, const word *x, const word *y) {
    (void)c;
    memcpy(r->x, x, sizeof r->x);
    memcpy(r->y, y, sizeof r->y);
}

INLINE void GROUP(negate_public)(const gost_curve *c, GROUP(public_point) *r) {
    word zero[COUNT] = {0};
    SUB(r->y, zero, r->y);
}

#ifdef MINUS_3
/// A point in Jacobian coordinates: x = X/Z² and y = Y/Z³. Z is 0 for O.
typedef GROUP(point) GROUP(jacobian);

/// r = 2r, for all points of a curve whose order is odd (Bernstein and Lange, "dbl-2001-b").
static __attribute__((noinline)) void GROUP(jacobian_double)(const gost_curve *c, GROUP(jacobian) *r) {
    word delta[COUNT], gamma[COUNT], beta[COUNT], alpha[COUNT], t[COUNT];
    SQR(delta, r->z);
    SQR(gamma, r->y);
    MUL(beta, r->x, gamma);
    SUB(t, r->x, delta);
    ADD(alpha, r->x, delta);
    MUL(alpha, alpha, t);
    ADD(t, alpha, alpha);
    ADD(alpha, alpha, t);
    ADD(t, r->y, r->z);
    SQR(t, t);
    SUB(t, t, gamma);
    SUB(r->z, t, delta);
    ADD(beta, beta, beta);
    ADD(beta, beta, beta);
    ADD(t, beta, beta);
    SQR(r->x, alpha);
    SUB(r->x, r->x, t);
    SUB(t, beta, r->x);
    MUL(t, t, alpha);
    SQR(gamma, gamma);
    ADD(gamma, gamma, gamma);
    ADD(gamma, gamma, gamma);
    ADD(gamma, gamma, gamma);
    SUB(r->y, t, gamma);
}

/// r = 2^count·r. Jacobian coordinates double with fewer products, and their additions have exceptions.
static void GROUP(double_times)(const gost_curve *c, GROUP(point) *r, size_t count) {
    word square[COUNT];
    MUL(r->x, r->x, r->z);
    SQR(square, r->z);
    MUL(r->y, r->y, square);
    for (size_t i = 0; i < count; i++) GROUP(jacobian_double)(c, r);
    MUL(r->x, r->x, r->z);
    SQR(square, r->z);
    MUL(r->z, r->z, square);
}

/// A sum of public points.
typedef GROUP(jacobian) GROUP(public_sum);

INLINE void GROUP(public_double)(const gost_curve *c, GROUP(public_sum) *r, bool is_added_to) {
    (void)is_added_to;
    GROUP(jacobian_double)(c, r);
}

INLINE word GROUP(is_zero)(const gost_curve *c, const word *a) {
    word number[COUNT];
    FIELD(leave)(&c->p, number, a);
    return words_are_zero(COUNT, number);
}

/// r += a, with branches for O, doublings and opposites ("madd-2007-bl").
static __attribute__((noinline)) void GROUP(public_add)(
    const gost_curve *c, GROUP(public_sum) *r, const GROUP(public_point) *a
) {
    if (GROUP(is_zero)(c, r->z)) {
        GROUP(from_affine)(c, r, a->x, a->y);
        return;
    }
    word zz[COUNT], h[COUNT], hh[COUNT], s[COUNT], j[COUNT], v[COUNT];
    SQR(zz, r->z);
    MUL(h, a->x, zz);
    SUB(h, h, r->x);
    MUL(s, r->z, zz);
    MUL(s, s, a->y);
    SUB(s, s, r->y);
    if (GROUP(is_zero)(c, h)) {
        if (GROUP(is_zero)(c, s)) GROUP(jacobian_double)(c, r);
        else memset(r->z, 0, sizeof r->z);
        return;
    }
    ADD(s, s, s);
    SQR(hh, h);
    ADD(r->z, r->z, h);
    SQR(r->z, r->z);
    SUB(r->z, r->z, zz);
    SUB(r->z, r->z, hh);
    ADD(hh, hh, hh);
    ADD(hh, hh, hh);
    MUL(j, h, hh);
    MUL(v, r->x, hh);
    SQR(r->x, s);
    SUB(r->x, r->x, j);
    SUB(r->x, r->x, v);
    SUB(r->x, r->x, v);
    SUB(v, v, r->x);
    MUL(v, v, s);
    MUL(j, j, r->y);
    ADD(j, j, j);
    SUB(r->y, v, j);
}

/// Whether x is the first coordinate of a public sum, by X = x·Z².
static bool GROUP(public_has_x)(const gost_curve *c, const GROUP(public_sum) *r, const word *x) {
    word right[COUNT];
    SQR(right, r->z);
    MUL(right, right, x);
    SUB(right, right, r->x);
    return GROUP(is_zero)(c, right) && !GROUP(is_zero)(c, r->z);
}
#else
INLINE void GROUP(double_times)(const gost_curve *c, GROUP(point) *r, size_t count) {
    for (size_t i = 0; i < count; i++) GROUP(double)(c, r, r, true);
}

typedef GROUP(point) GROUP(public_sum);

INLINE void GROUP(public_double)(const gost_curve *c, GROUP(public_sum) *r, bool is_added_to) {
    GROUP(double)(c, r, r, is_added_to);
}

INLINE void GROUP(public_add)(const gost_curve *c, GROUP(public_sum) *r, const GROUP(public_point) *a) {
    GROUP(add_affine)(c, r, r, a->x, a->y);
}

/// Whether x is the first coordinate of a public sum, by X = x·Z.
static bool GROUP(public_has_x)(const gost_curve *c, const GROUP(public_sum) *r, const word *x) {
    word right[COUNT];
    MUL(right, r->z, x);
    SUB(right, right, r->x);
    FIELD(leave)(&c->p, right, right);
    return words_are_zero(COUNT, right) && !GROUP(is_infinity)(c, r);
}
#endif

/// r = O.
INLINE void GROUP(public_begin)(const gost_curve *c, GROUP(public_sum) *r) {
    memset(r, 0, sizeof *r);
    memcpy(r->y, c->one, sizeof r->y);
}

#undef ADD
#undef SUB
#undef MUL
#undef SQR
