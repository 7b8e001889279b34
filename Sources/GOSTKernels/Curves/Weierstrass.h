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

#undef ADD
#undef SUB
#undef MUL
#undef SQR
