/* SPDX-License-Identifier: Apache-2.0 */
// A form for Group.h whose points are names: each operation prints its operands and its result. The coordinates of the point
// n are the elements 4n, 4n + 1 and 4n + 2; 4n + 3 is what a field function gives. Defines COUNT, BASE_BITS, FIELD, GROUP.

#define FIELD(name) named_##name
#define GROUP(name) proven_##name

typedef unsigned long long number;
static number last;

static word new_point(const char *name, word a, word b) {
    printf("%s %llu %llu %llu\n", name, ++last, (number)a, (number)b);
    return last;
}

typedef struct {
    word x[COUNT], y[COUNT], z[COUNT];
} GROUP(point);

static void put(GROUP(point) *r, word n) {
    memset(r, 0, sizeof *r);
    r->x[0] = 4 * n, r->y[0] = 4 * n + 1, r->z[0] = 4 * n + 2;
}

static void one_element(word *r, word a) {
    memset(r, 0, COUNT * sizeof(word));
    *r = a;
}

static void named_multiply(const modulus *p, word *r, const word *a, const word *b) {
    (void)p, one_element(r, 4 * new_point("multiply", *a, *b) + 3);
}
static void named_square(const modulus *p, word *r, const word *a) { named_multiply(p, r, a, a); }
static void named_invert(const modulus *p, word *r, const word *a) {
    (void)p, one_element(r, 4 * new_point("invert", *a, *a) + 3);
}
static void named_add(const modulus *p, word *r, const word *a, const word *b) { named_multiply(p, r, a, b); }
static void named_subtract(const modulus *p, word *r, const word *a, const word *b) { named_multiply(p, r, a, b); }
static void named_enter(const modulus *p, word *r, const word *a) { (void)p, memmove(r, a, COUNT * sizeof(word)); }
static void named_leave(const modulus *p, word *r, const word *a) { (void)p, memmove(r, a, COUNT * sizeof(word)); }

static void proven_add(const gost_curve *c, GROUP(point) *r, const GROUP(point) *a, const GROUP(point) *b) {
    (void)c, put(r, new_point("add", *a->x / 4, *b->x / 4));
}
static void proven_add_affine(const gost_curve *c, GROUP(point) *r, const GROUP(point) *a, const word *x, const word *y) {
    (void)c, (void)y, put(r, new_point("add", *a->x / 4, *x / 4));
}
static void proven_double(const gost_curve *c, GROUP(point) *r, const GROUP(point) *a, bool is_added_to) {
    (void)c, (void)is_added_to, put(r, new_point("double", *a->x / 4, 1));
}
#ifdef MINUS_3
typedef GROUP(point) GROUP(jacobian);
static void proven_double_times(const gost_curve *c, GROUP(jacobian) *r, size_t count) {
    (void)c, put(r, new_point("double_jacobian", *r->x / 4, count));
}
static void proven_jacobian_add(const gost_curve *c, GROUP(jacobian) *r, const word *x, const word *y) {
    (void)c, (void)y, put(r, new_point("add_jacobian", *r->x / 4, *x / 4));
}
static void proven_from_jacobian(const gost_curve *c, GROUP(jacobian) *r) {
    (void)c, put(r, new_point("from_jacobian", *r->x / 4, 0));
}
#else
static void proven_double_times(const gost_curve *c, GROUP(point) *r, size_t count) {
    (void)c, put(r, new_point("double", *r->x / 4, count));
}
#endif
static void proven_from_affine(const gost_curve *c, GROUP(point) *r, const word *x, const word *y) {
    (void)c, (void)y, put(r, *x / 4);
}
static void proven_enter(const gost_curve *c, GROUP(point) *r, const word *x, const word *y) {
    (void)c, (void)y, put(r, *x / 4);
}
static void proven_leave(const gost_curve *c, word *x, word *y, const GROUP(point) *a) {
    (void)c, one_element(x, *a->x), one_element(y, *a->y);
}
static word proven_is_infinity(const gost_curve *c, const GROUP(point) *a) {
    (void)c, printf("is_infinity 0 %llu 0\n", (number)*a->x / 4);
    return 0;
}
static void proven_negate(const gost_curve *c, GROUP(point) *a, word bits) {
    (void)c, put(a, new_point("negate", *a->x / 4, bits & 1));
    if (bits + 1 > 1) printf("a mask has some bits 0 0 0\n");
}
static void proven_negate_affine(const gost_curve *c, word *x, word *y, word bits) {
    GROUP(point) a;
    // From a table of points, or from flatten's.
    put(&a, *x % 4 == 0 ? *x / 4 : new_point("fraction", *x, *y)), proven_negate(c, &a, bits);
    one_element(x, *a.x), one_element(y, *a.y);
}

// Sums of public points. Nothing is added to a sum that is doubled for the last time.
typedef GROUP(point) GROUP(public_sum);
typedef GROUP(point) GROUP(public_point);
static void proven_public_begin(const gost_curve *c, GROUP(point) *r) { (void)c, put(r, new_point("begin_sum", 0, 0)); }
static void proven_public_double(const gost_curve *c, GROUP(point) *r, bool is_added_to) {
    (void)c, put(r, new_point(is_added_to ? "double" : "double_last", *r->x / 4, 1));
}
static void proven_public_add(const gost_curve *c, GROUP(point) *r, const GROUP(point) *a) { proven_add(c, r, r, a); }
static void proven_make_public(const gost_curve *c, GROUP(point) *r, const word *x, const word *y) {
    (void)c, put(r, new_point("public", *x, *y));
}
static void proven_negate_public(const gost_curve *c, GROUP(point) *r) { proven_negate(c, r, ~(word)0); }
/// The claim about a sum; the file that includes this one defines it.
static bool has_x(word sum, const word *x);
static bool proven_public_has_x(const gost_curve *c, const GROUP(point) *r, const word *x) {
    (void)c;
    return has_x(*r->x / 4, x);
}
