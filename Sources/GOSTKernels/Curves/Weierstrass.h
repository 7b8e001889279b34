/* SPDX-License-Identifier: Apache-2.0 */
// Points of y² = x³ + ax + b in projective coordinates, x = X/Z and y = Y/Z, with the complete formulas of Renes, Costello
// and Batina (ePrint 2015/1060): they hold for all pairs of points of a curve whose order is odd, O = (0 : 1 : 0) included.
// For the file that names COUNT, FIELD(name) and GROUP(name), and MINUS_3 where a is −3.

typedef struct {
    word x[COUNT], y[COUNT], z[COUNT];
} GROUP(point);

#define ADD(r, a, b) FIELD(add)(&c->p, r, a, b)
#define SUB(r, a, b) FIELD(subtract)(&c->p, r, a, b)
#define MUL(r, a, b) FIELD(multiply)(&c->p, r, a, b)
#define SQR(r, a) FIELD(square)(&c->p, r, a)

/// What addition and doubling end with: of t0 = X1·X2, t1 = Y1·Y2, t2 = Z1·Z2, xy = X1·Y2 + X2·Y1, and xz and yz likewise,
/// the sum.
INLINE void GROUP(finish)(
    const gost_curve *c, GROUP(point) *r, word *t0, word *t1, word *t2, const word *xy, const word *xz, const word *yz
) {
    word u[COUNT], v[COUNT], w[COUNT], m[COUNT];
#ifdef MINUS_3
    // Algorithm 4, steps 19 to 34: w = t1 + 3(xz − b·t2), v = t1 − 3(xz − b·t2), u = 3(b·xz − 3·t2 − t0), m = 3(t0 − t2).
    MUL(u, c->b, t2);
    SUB(u, xz, u);
    ADD(v, u, u);
    ADD(u, u, v);
    SUB(v, t1, u);
    ADD(w, t1, u);
    MUL(u, c->b, xz);
    ADD(m, t2, t2);
    ADD(t2, t2, m);
    SUB(u, u, t2);
    SUB(u, u, t0);
    ADD(m, u, u);
    ADD(u, u, m);
    ADD(m, t0, t0);
    ADD(m, m, t0);
    SUB(m, m, t2);
#else
    // Algorithm 1, steps 18 to 33: w = t1 − a·xz − 3b·t2, v = t1 + a·xz + 3b·t2, u = 3b·xz + a(t0 − a·t2), m = 3·t0 + a·t2.
    MUL(u, c->a, xz);
    MUL(v, c->b, t2);
    ADD(u, u, v);
    ADD(u, u, v);
    ADD(u, u, v);
    SUB(w, t1, u);
    ADD(v, t1, u);
    MUL(t2, c->a, t2);
    ADD(m, t0, t0);
    ADD(m, m, t0);
    ADD(m, m, t2);
    SUB(u, t0, t2);
    MUL(u, c->a, u);
    MUL(t0, c->b, xz);
    ADD(u, u, t0);
    ADD(u, u, t0);
    ADD(u, u, t0);
#endif
    // X3 = xy·w − yz·u, Y3 = w·v + m·u, Z3 = yz·v + xy·m.
    MUL(t0, xy, w);
    MUL(t1, yz, u);
    SUB(r->x, t0, t1);
    MUL(t0, w, v);
    MUL(t1, m, u);
    ADD(r->y, t0, t1);
    MUL(t0, yz, v);
    MUL(t1, xy, m);
    ADD(r->z, t0, t1);
}

/// r = (l1 + l2)·(r1 + r2) − both: the sum of the products crosswise.
INLINE void GROUP(cross)(
    const gost_curve *c, word *r, const word *l1, const word *l2, const word *r1, const word *r2, const word *both1,
    const word *both2
) {
    word t[COUNT];
    ADD(t, l1, l2);
    ADD(r, r1, r2);
    MUL(r, t, r);
    ADD(t, both1, both2);
    SUB(r, r, t);
}

static __attribute__((noinline)) void GROUP(add)(
    const gost_curve *c, GROUP(point) *r, const GROUP(point) *a, const GROUP(point) *b
) {
    word t0[COUNT], t1[COUNT], t2[COUNT], xy[COUNT], xz[COUNT], yz[COUNT];
    MUL(t0, a->x, b->x);
    MUL(t1, a->y, b->y);
    MUL(t2, a->z, b->z);
    GROUP(cross)(c, xy, a->x, a->y, b->x, b->y, t0, t1);
    GROUP(cross)(c, xz, a->x, a->z, b->x, b->z, t0, t2);
    GROUP(cross)(c, yz, a->y, a->z, b->y, b->z, t1, t2);
    GROUP(finish)(c, r, t0, t1, t2, xy, xz, yz);
}

/// r = a + (x, y).
static __attribute__((noinline)) void GROUP(add_affine)(
    const gost_curve *c, GROUP(point) *r, const GROUP(point) *a, const word *x, const word *y
) {
    word t0[COUNT], t1[COUNT], t2[COUNT], xy[COUNT], xz[COUNT], yz[COUNT];
    MUL(t0, a->x, x);
    MUL(t1, a->y, y);
    memcpy(t2, a->z, sizeof t2);
    GROUP(cross)(c, xy, a->x, a->y, x, y, t0, t1);
    MUL(xz, x, a->z);
    ADD(xz, xz, a->x);
    MUL(yz, y, a->z);
    ADD(yz, yz, a->y);
    GROUP(finish)(c, r, t0, t1, t2, xy, xz, yz);
}

static __attribute__((noinline)) void GROUP(double)(
    const gost_curve *c, GROUP(point) *r, const GROUP(point) *a, bool is_added_to
) {
    (void)is_added_to;
#ifdef MINUS_3
    // Algorithm 6, with the names of `finish`; 2·Y·Z·Y² and 2·X·Y take the place of products.
    word t0[COUNT], t1[COUNT], t2[COUNT], xy[COUNT], xz[COUNT], yz[COUNT], u[COUNT], v[COUNT], w[COUNT];
    SQR(t0, a->x);
    SQR(t1, a->y);
    SQR(t2, a->z);
    MUL(xy, a->x, a->y);
    ADD(xy, xy, xy);
    MUL(xz, a->x, a->z);
    ADD(xz, xz, xz);
    MUL(yz, a->y, a->z);
    ADD(yz, yz, yz);
    // u = 3(b·Z² − 2XZ), w = Y² − u, v = Y² + u.
    MUL(u, c->b, t2);
    SUB(u, u, xz);
    ADD(v, u, u);
    ADD(u, u, v);
    SUB(w, t1, u);
    ADD(v, t1, u);
    MUL(v, w, v);
    MUL(w, w, xy);
    // xz = 3(2b·XZ − 3Z² − X²), t0 = 3(X² − Z²).
    ADD(u, t2, t2);
    ADD(t2, t2, u);
    MUL(xz, c->b, xz);
    SUB(xz, xz, t2);
    SUB(xz, xz, t0);
    ADD(u, xz, xz);
    ADD(xz, xz, u);
    ADD(u, t0, t0);
    ADD(t0, t0, u);
    SUB(t0, t0, t2);
    MUL(t0, t0, xz);
    ADD(r->y, v, t0);
    MUL(u, yz, xz);
    SUB(r->x, w, u);
    MUL(u, yz, t1);
    ADD(u, u, u);
    ADD(r->z, u, u);
#else
    GROUP(add)(c, r, a, a);
#endif
}

/// The point (x, y) as a factor of `add`.
INLINE void GROUP(from_affine)(const gost_curve *c, GROUP(point) *r, const word *x, const word *y) {
    memcpy(r->x, x, sizeof r->x);
    memcpy(r->y, y, sizeof r->y);
    memcpy(r->z, c->one, sizeof r->z);
}

/// The point whose coordinates on the curve are (x, y).
INLINE void GROUP(enter)(const gost_curve *c, GROUP(point) *r, const word *x, const word *y) {
    GROUP(from_affine)(c, r, x, y);
}

/// The coordinates on the curve of a point, not O.
INLINE void GROUP(leave)(const gost_curve *c, word *x, word *y, const GROUP(point) *a) {
    word inverse[COUNT];
    FIELD(invert)(&c->p, inverse, a->z);
    MUL(x, a->x, inverse);
    MUL(y, a->y, inverse);
    words_wipe(inverse, sizeof inverse);
}

/// 1 if the point is O.
INLINE word GROUP(is_infinity)(const gost_curve *c, const GROUP(point) *a) {
    word z[COUNT];
    FIELD(leave)(&c->p, z, a->z);
    return words_are_zero(COUNT, z);
}

/// Replaces (X : Y : Z) by its opposite where `bits` are ones.
INLINE void GROUP(negate)(const gost_curve *c, GROUP(point) *a, word bits) {
    word zero[COUNT] = {0}, y[COUNT];
    SUB(y, zero, a->y);
    words_take(COUNT, a->y, y, bits);
}

/// Replaces (x, y) of the table by its opposite where `bits` are ones.
INLINE void GROUP(negate_affine)(const gost_curve *c, word *x, word *y, word bits) {
    (void)x;
    word zero[COUNT] = {0}, opposite[COUNT];
    SUB(opposite, zero, y);
    words_take(COUNT, y, opposite, bits);
}

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
    words_wipe(square, sizeof square);
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
