/* SPDX-License-Identifier: Apache-2.0 */
// Points of u² + v² = 1 + d·u²·v² in extended coordinates, u = X/Z, v = Y/Z and u·v = T/Z, with the formulas of Hisil, Wong,
// Carter and Dawson (ePrint 2008/522). d is no square, so that the addition holds for all pairs of points, O = (0 : 1 : 1)
// included. For the file that names COUNT, FIELD(name) and GROUP(name).
//
// The point (u, v) is (x, y) = (s·(1 + v) / (1 − v) + t, s·(1 + v) / ((1 − v)·u)) of the curve (RFC 7836, A.2, and its 5.2).

typedef struct {
    word x[COUNT], y[COUNT], z[COUNT], t[COUNT];
} GROUP(point);

#define ADD(r, a, b) FIELD(add)(&c->p, r, a, b)
#define SUB(r, a, b) FIELD(subtract)(&c->p, r, a, b)
#define MUL(r, a, b) FIELD(multiply)(&c->p, r, a, b)
#define SQR(r, a) FIELD(square)(&c->p, r, a)

/// r = (e·f : g·h : f·g), with T = e·h if it is wanted.
INLINE void GROUP(finish)(
    const gost_curve *c, GROUP(point) *r, const word *e, const word *f, const word *g, const word *h, bool is_added_to
) {
    MUL(r->x, e, f);
    MUL(r->y, g, h);
    if (is_added_to) MUL(r->t, e, h);
    MUL(r->z, f, g);
}

/// The sum of a and of (x : y : z) with d·t, where `zz` is Z1·Z2.
INLINE void GROUP(add_coordinates)(
    const gost_curve *c, GROUP(point) *r, const GROUP(point) *a, const word *x, const word *y, const word *zz,
    const word *dt
) {
    word xx[COUNT], yy[COUNT], tt[COUNT], e[COUNT], f[COUNT], g[COUNT], h[COUNT];
    MUL(xx, a->x, x);
    MUL(yy, a->y, y);
    MUL(tt, a->t, dt);
    ADD(e, a->x, a->y);
    ADD(f, x, y);
    MUL(e, e, f);
    SUB(e, e, xx);
    SUB(e, e, yy);
    SUB(f, zz, tt);
    ADD(g, zz, tt);
    SUB(h, yy, xx);
    GROUP(finish)(c, r, e, f, g, h, true);
}

static __attribute__((noinline)) void GROUP(add)(
    const gost_curve *c, GROUP(point) *r, const GROUP(point) *a, const GROUP(point) *b
) {
    word dt[COUNT], zz[COUNT];
    MUL(dt, c->d, b->t);
    MUL(zz, a->z, b->z);
    GROUP(add_coordinates)(c, r, a, b->x, b->y, zz, dt);
}

/// r = a + (x, y) of the table.
static __attribute__((noinline)) void GROUP(add_affine)(
    const gost_curve *c, GROUP(point) *r, const GROUP(point) *a, const word *x, const word *y
) {
    word dt[COUNT], zz[COUNT];
    MUL(dt, x, y);
    MUL(dt, dt, c->d);
    memcpy(zz, a->z, sizeof zz);
    GROUP(add_coordinates)(c, r, a, x, y, zz, dt);
}

/// r = 2a, with T only if the sum with another point is wanted next.
static __attribute__((noinline)) void GROUP(double)(
    const gost_curve *c, GROUP(point) *r, const GROUP(point) *a, bool is_added_to
) {
    word xx[COUNT], yy[COUNT], e[COUNT], f[COUNT], g[COUNT], h[COUNT];
    SQR(xx, a->x);
    SQR(yy, a->y);
    SQR(f, a->z);
    ADD(f, f, f);
    MUL(e, a->x, a->y);
    ADD(e, e, e);
    ADD(g, xx, yy);
    SUB(f, g, f);
    SUB(h, xx, yy);
    GROUP(finish)(c, r, e, f, g, h, is_added_to);
}

/// The point (u, v) of the table as a factor of `add`.
INLINE void GROUP(from_affine)(const gost_curve *c, GROUP(point) *r, const word *u, const word *v) {
    memcpy(r->x, u, sizeof r->x);
    memcpy(r->y, v, sizeof r->y);
    memcpy(r->z, c->one, sizeof r->z);
    MUL(r->t, u, v);
}

/// The point whose coordinates on the curve are (x, y): u = (x − t) / y and v = (x − t − s) / (x − t + s).
INLINE void GROUP(enter)(const gost_curve *c, GROUP(point) *r, const word *x, const word *y) {
    word shifted[COUNT], above[COUNT], below[COUNT];
    SUB(shifted, x, c->t);
    SUB(above, shifted, c->s);
    ADD(below, shifted, c->s);
    MUL(r->x, shifted, below);
    MUL(r->y, above, y);
    MUL(r->z, below, y);
    MUL(r->t, shifted, above);
}

/// The coordinates on the curve of a point, not O.
INLINE void GROUP(leave)(const gost_curve *c, word *x, word *y, const GROUP(point) *a) {
    word inverse[COUNT], below[COUNT], above[COUNT];
    SUB(below, a->z, a->y);
    MUL(inverse, below, a->x);
    FIELD(invert)(&c->p, inverse, inverse);
    ADD(above, a->z, a->y);
    MUL(above, above, c->s);
    MUL(above, above, inverse);
    MUL(x, above, a->x);
    ADD(x, x, c->t);
    MUL(y, above, a->z);
}

/// 1 if the point is O, and 0 for the point of order 2, whose X is 0 too.
INLINE word GROUP(is_infinity)(const gost_curve *c, const GROUP(point) *a) {
    word x[COUNT], y[COUNT];
    FIELD(leave)(&c->p, x, a->x);
    SUB(y, a->y, a->z);
    FIELD(leave)(&c->p, y, y);
    return words_are_zero(COUNT, x) & words_are_zero(COUNT, y);
}

/// Replaces a point by its opposite where `bits` are ones.
INLINE void GROUP(negate)(const gost_curve *c, GROUP(point) *a, word bits) {
    word zero[COUNT] = {0}, opposite[COUNT];
    SUB(opposite, zero, a->x);
    words_take(COUNT, a->x, opposite, bits);
    SUB(opposite, zero, a->t);
    words_take(COUNT, a->t, opposite, bits);
}

/// Replaces (u, v) of the table by its opposite where `bits` are ones.
INLINE void GROUP(negate_affine)(const gost_curve *c, word *x, word *y, word bits) {
    (void)y;
    word zero[COUNT] = {0}, opposite[COUNT];
    SUB(opposite, zero, x);
    words_take(COUNT, x, opposite, bits);
}

/// r = 2^count·r.
INLINE void GROUP(double_times)(const gost_curve *c, GROUP(point) *r, size_t count) {
    for (size_t i = 1; i < count; i++) GROUP(double)(c, r, r, false);
    GROUP(double)(c, r, r, true);
}

/// A sum of public points.
typedef GROUP(point) GROUP(public_sum);

/// r = O.
INLINE void GROUP(public_begin)(const gost_curve *c, GROUP(public_sum) *r) {
    memset(r, 0, sizeof *r);
    memcpy(r->y, c->one, sizeof r->y);
    memcpy(r->z, c->one, sizeof r->z);
}

INLINE void GROUP(public_double)(const gost_curve *c, GROUP(public_sum) *r, bool is_added_to) {
    GROUP(double)(c, r, r, is_added_to);
}

/// A public point: u, v and d·u·v.
typedef struct {
    word x[COUNT], y[COUNT], dt[COUNT];
} GROUP(public_point);

INLINE void GROUP(make_public)(const gost_curve *c, GROUP(public_point) *r, const word *u, const word *v) {
    memcpy(r->x, u, sizeof r->x);
    memcpy(r->y, v, sizeof r->y);
    MUL(r->dt, u, v);
    MUL(r->dt, r->dt, c->d);
}

INLINE void GROUP(negate_public)(const gost_curve *c, GROUP(public_point) *r) {
    word zero[COUNT] = {0};
    SUB(r->x, zero, r->x);
    SUB(r->dt, zero, r->dt);
}

INLINE void GROUP(public_add)(const gost_curve *c, GROUP(public_sum) *r, const GROUP(public_point) *a) {
    GROUP(add_coordinates)(c, r, r, a->x, a->y, r->z, a->dt);
}

/// Whether x is the first coordinate of a public sum on the curve, by s·(Z + Y) = (x − t)·(Z − Y).
static bool GROUP(public_has_x)(const gost_curve *c, const GROUP(public_sum) *r, const word *x) {
    word left[COUNT], right[COUNT], below[COUNT];
    ADD(left, r->z, r->y);
    MUL(left, left, c->s);
    SUB(below, r->z, r->y);
    SUB(right, x, c->t);
    MUL(right, right, below);
    SUB(left, left, right);
    FIELD(leave)(&c->p, left, left);
    return words_are_zero(COUNT, left) && !GROUP(is_infinity)(c, r);
}

#undef ADD
#undef SUB
#undef MUL
#undef SQR
