/* SPDX-License-Identifier: Apache-2.0 */
// Doublings of points of y² = x³ + ax + b one after another, sums where none is an exception, and sums of public points. Where a
// is −3 they are computed in Jacobian coordinates, which take fewer products. For the file that has included Weierstrass.h.

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

/// r = 2r, for all points of a curve whose order is odd: with α = 3(X − Z²)(X + Z²), X3 = α² − 8XY², Z3 = 2YZ and
/// Y3 = α(4XY² − X3) − 8Y⁴. Two products stand where squares would need more sums.
static __attribute__((noinline)) void GROUP(jacobian_double)(const gost_curve *c, GROUP(jacobian) *r) {
    word zz[COUNT], alpha[COUNT], yy2[COUNT], yy4[COUNT], beta[COUNT], t[COUNT];
    SQR(zz, r->z);
    SQR(yy2, r->y);
    MUL(r->z, r->y, r->z);
    ADD(r->z, r->z, r->z);
    ADD(yy2, yy2, yy2);
    ADD(yy4, yy2, yy2);
    MUL(beta, r->x, yy4);
    SUB(t, r->x, zz);
    ADD(alpha, r->x, zz);
    MUL(t, alpha, t);
    ADD(alpha, t, t);
    ADD(alpha, alpha, t);
    SQR(r->x, alpha);
    ADD(t, beta, beta);
    SUB(r->x, r->x, t);
    SUB(t, beta, r->x);
    MUL(t, t, alpha);
    MUL(yy2, yy2, yy4);
    SUB(r->y, t, yy2);
}

/// r = 2^count·r.
INLINE void GROUP(double_times)(const gost_curve *c, GROUP(jacobian) *r, size_t count) {
    for (size_t i = 0; i < count; i++) GROUP(jacobian_double)(c, r);
}

/// A sum's coordinates as those of a point.
INLINE void GROUP(from_jacobian)(const gost_curve *c, GROUP(jacobian) *r) {
    word square[COUNT];
    MUL(r->x, r->x, r->z);
    SQR(square, r->z);
    MUL(r->z, r->z, square);
}

/// h = x·Z² − X and s = y·Z³ − Y, which are 0 where x and y are those of r.
INLINE void GROUP(compare)(
    const gost_curve *c, word *h, word *s, const GROUP(jacobian) *r, const word *x, const word *y
) {
    word zz[COUNT];
    SQR(zz, r->z);
    MUL(h, x, zz);
    SUB(h, h, r->x);
    MUL(s, r->z, zz);
    MUL(s, s, y);
    SUB(s, s, r->y);
}

/// r += (x, y), of which `compare` has given h and s: X3 = s² − h³ − 2Xh², Y3 = s(Xh² − X3) − Yh³ and Z3 = Zh.
INLINE void GROUP(add_compared)(const gost_curve *c, GROUP(jacobian) *r, const word *h, const word *s) {
    word hh[COUNT], hhh[COUNT], v[COUNT];
    SQR(hh, h);
    MUL(hhh, h, hh);
    MUL(v, r->x, hh);
    MUL(r->z, r->z, h);
    SQR(r->x, s);
    SUB(r->x, r->x, hhh);
    SUB(r->x, r->x, v);
    SUB(r->x, r->x, v);
    SUB(v, v, r->x);
    MUL(v, v, s);
    MUL(hhh, hhh, r->y);
    SUB(r->y, v, hhh);
}

/// r += (x, y), where neither r nor the sum nor the difference is O.
static __attribute__((noinline)) void GROUP(jacobian_add)(
    const gost_curve *c, GROUP(jacobian) *r, const word *x, const word *y
) {
    word h[COUNT], s[COUNT];
    GROUP(compare)(c, h, s, r, x, y);
    GROUP(add_compared)(c, r, h, s);
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

/// r += a, with branches for O, doublings and opposites.
static __attribute__((noinline)) void GROUP(public_add)(
    const gost_curve *c, GROUP(public_sum) *r, const GROUP(public_point) *a
) {
    if (GROUP(is_zero)(c, r->z)) {
        GROUP(from_affine)(c, r, a->x, a->y);
        return;
    }
    word h[COUNT], s[COUNT];
    GROUP(compare)(c, h, s, r, a->x, a->y);
    if (GROUP(is_zero)(c, h)) {
        if (GROUP(is_zero)(c, s)) GROUP(jacobian_double)(c, r);
        else memset(r->z, 0, sizeof r->z);
        return;
    }
    GROUP(add_compared)(c, r, h, s);
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
